// Several hooks' verdicts on one event made into one. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hooks/output.h"

namespace agentd::hooks {

struct MergedVerdict {
  /// Any hook's `continue: false`. It wins over the rest: whatever the event is about (a call, a
  /// prompt, going on) does not happen, and the run ends.
  bool stop = false;
  std::string stop_reason;  // for the user; may be empty

  bool block = false;  // any hook's; what it means says block_effect()
  std::string reason;  // of the blocks, or of the permission that counts: joined by line ends

  std::optional<PermissionDecision> permission;  // the strictest: deny, ask, allow
  std::optional<Json> updated_input;             // of the last that gave one; none if denied

  std::vector<std::string> contexts;  // for the model, in order, each at most kMaxModelCharacters
  std::vector<std::string> system_messages;  // for the user, in order
  std::vector<std::string> notices;          // about the answers themselves, for the user
};

/// `verdicts` in the order of their hooks. Those broken or cancelled decide nothing.
MergedVerdict merged(std::vector<HookVerdict> verdicts);

}  // namespace agentd::hooks
