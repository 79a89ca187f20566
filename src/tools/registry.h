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

  /// What the model is told, made once: the same pointer as long as no tool is added, so that its
  /// encoded bytes can be reused.
  std::shared_ptr<const std::vector<ToolDefinition>> definitions() const { return definitions_; }

 private:
  std::vector<std::unique_ptr<Tool>> tools_;
  std::shared_ptr<const std::vector<ToolDefinition>> definitions_ =
      std::make_shared<const std::vector<ToolDefinition>>();
};

/// Read, Write, Edit, Bash, Glob, Grep, TodoWrite, AskUserQuestion, ExitPlanMode.
Registry built_in_tools();

}  // namespace agentd::tools
