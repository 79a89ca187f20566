#include "tools/registry.h"

#include <algorithm>
#include <utility>

#include "tools/bash.h"
#include "tools/edit.h"
#include "tools/glob.h"
#include "tools/grep.h"
#include "tools/read.h"
#include "tools/write.h"

namespace agentd::tools {

void Registry::add(std::unique_ptr<Tool> tool) {
  tools_.push_back(std::move(tool));
}

const Tool* Registry::find(std::string_view name) const {
  const auto found = std::find_if(tools_.begin(), tools_.end(), [&](const auto& tool) {
    return tool->definition().name == name;
  });
  return found == tools_.end() ? nullptr : found->get();
}

Registry built_in_tools() {
  Registry registry;
  registry.add(make_read());
  registry.add(make_write());
  registry.add(make_edit());
  registry.add(make_bash());
  registry.add(make_glob());
  registry.add(make_grep());
  return registry;
}

}  // namespace agentd::tools
