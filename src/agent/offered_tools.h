// OfferedTools: which of the tools there are a run offers its model, and so which it may call. Made
// when the run begins; the run's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/registry.h"

namespace agentd::agent {

/// What a request and the settings say of it. Names are exact; of tools that do not exist nothing
/// comes.
struct ToolWishes {
  std::optional<std::vector<std::string>> only = {};  // absent: all
  std::vector<std::string> denied = {};               // outright: not offered whatever else is said
  bool questions = false;                             // those that ask the user may be offered
};

/// The tools that were called in `view`, each by its name alone: for a request that offers none.
std::vector<ToolDefinition> called_tools_by_name(const std::vector<MessagePtr>& view);

class OfferedTools {
 public:
  using Definitions = std::shared_ptr<const std::vector<ToolDefinition>>;

  OfferedTools(const tools::Registry& registry, const ToolWishes& wishes);

  /// nullptr if it is not offered.
  const tools::Tool* find(std::string_view name) const;
  /// In their fixed order; the same pointer all along, and the registry's own where all are
  /// offered, so that encoded bytes serve from run to run.
  const Definitions& definitions() const { return definitions_; }
  /// Separated by commas; for the model.
  std::string names() const;

 private:
  const tools::Registry& registry_;
  Definitions definitions_;
};

}  // namespace agentd::agent
