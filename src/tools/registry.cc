#include "tools/registry.h"

#include <utility>

namespace agentd::tools {

void Registry::add(std::unique_ptr<Tool> tool) {
  auto definitions = std::make_shared<std::vector<ToolDefinition>>(*definitions_);
  definitions->push_back(tool->definition());
  definitions_ = std::move(definitions);
  tools_.push_back(std::move(tool));
}

const Tool* Registry::find(std::string_view name) const {
  for (const auto& tool : tools_) {
    if (tool->definition().name == name) return tool.get();
  }
  return nullptr;
}

}  // namespace agentd::tools
