// ToolChoice: whether the model may, must or must not call tools.
#pragma once

#include <string>

namespace agentd {

enum class ToolChoiceKind {
  automatic,  // as it sees fit
  any,        // at least one, whichever
  none,
  tool,  // the one that is named
};

struct ToolChoice {
  ToolChoiceKind kind = ToolChoiceKind::automatic;
  std::string name = {};  // tool

  bool forces() const { return kind == ToolChoiceKind::any || kind == ToolChoiceKind::tool; }
};

}  // namespace agentd
