// What a hook may decide about a call, and how that meets what permission/ decided, which is a room
// of the same rank and has its own enum. Pure, any thread.
#pragma once

#include <optional>

namespace agentd::hooks {

/// From loose to strict: of several the greatest counts.
enum class PermissionDecision { allow, ask, deny };

/// Why a verdict says ask: what a hook's allow may answer, and what only a person may.
enum class AskedBy {
  mode,   // nothing forbids it, nobody allowed it yet
  rule,   // somebody wrote that this is to be asked
  place,  // it would touch a place that nothing but a person opens: see permission::AskCause
};

/// The two together. A hook can tighten; its allow answers a question that only the mode asks, and
/// never loosens a deny. Not one of a place either: hooks that allow are written for a kind of call
/// ("every Read", "every Edit") by people who have their project before their eyes, and read as
/// they stand they would open the user's keys, and `.git/hooks`, to whatever the model was talked
/// into.
constexpr PermissionDecision combined(PermissionDecision judged,
                                      std::optional<PermissionDecision> hook,
                                      AskedBy asked_by = AskedBy::mode) {
  if (!hook) return judged;
  const bool answered = judged == PermissionDecision::ask && *hook == PermissionDecision::allow &&
                        asked_by == AskedBy::mode;
  if (answered) return PermissionDecision::allow;
  return *hook > judged ? *hook : judged;
}

}  // namespace agentd::hooks
