// What a hook's JSON says that means nothing here: members of Claude Code's that we do not have
// (`updatedPermissions`), of another place, or misspelt. Its author is told, as a guard whose
// `permissonDecision` is quietly passed over guards nothing. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "hooks/event.h"

namespace agentd::hooks {

/// Paths of at most 5 such members of a hook's answer to `event`:
/// `hookSpecificOutput.decision.updatedPermissions`. A null member counts as absent.
std::vector<std::string> ignored_members(Event event, const Json& answer);

}  // namespace agentd::hooks
