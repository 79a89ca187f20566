// HookContext: the hooks of a session, and what each of them is told besides its event. A value
// that the loop makes and gives to its jobs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hooks/hook_set.h"
#include "hooks/permission_decision.h"
#include "permission/permission.h"

namespace agentd::agent {

struct HookContext {
  std::shared_ptr<const hooks::HookSet> set;  // nullptr: there are none
  std::string session_id;
  std::string run_id;
  std::string cwd;
  std::string workspace;
  permission::Mode mode = permission::Mode::ask;

  bool has(hooks::Event event) const { return set != nullptr && hooks::has_hooks(*set, event); }
  hooks::HookInput with(hooks::EventInput event) const;
};

/// What the PreToolUse hooks of a call said; they are asked once.
struct HookWord {
  bool asked = false;
  std::optional<hooks::PermissionDecision> permission = {};
  std::string reason = {};
  std::vector<std::string> contexts = {};  // for the model, with the result
};

/// How PermissionRequest hooks answered in the user's place.
enum class HookAnswer { none, allowed, denied };

/// What permission/ said of a call, and what its PreToolUse hooks say: a hook can tighten; its
/// allow answers what only the mode asks, not what is asked because of the place, never loosens a
/// deny, and does not agree to a plan. (A PermissionRequest hook is another matter: it is put this
/// very question, in the user's place, and may answer it.)
permission::Verdict with_hooks(permission::Verdict verdict, const HookWord& word,
                               const Access& access);

}  // namespace agentd::agent
