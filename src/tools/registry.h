// Registry: the tools a run can offer, in their fixed order. Built once, then only read.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tools/tool.h"

namespace agentd::tools {

class Registry {
 public:
  void add(std::unique_ptr<Tool> tool);

  /// Nullptr if there is no such tool. Names are exact.
  const Tool* find(std::string_view name) const;

  /// In the order they are told to the model.
  const std::vector<std::unique_ptr<Tool>>& all() const { return tools_; }

 private:
  std::vector<std::unique_ptr<Tool>> tools_;
};

/// Read, Write, Edit, Bash, Glob, Grep.
Registry built_in_tools();

}  // namespace agentd::tools
