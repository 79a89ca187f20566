#include "agent/hook_context.h"

#include <utility>

namespace agentd::agent {
namespace {

config::PermissionMode to_config(permission::Mode mode) {
  switch (mode) {
    case permission::Mode::ask:
      return config::PermissionMode::ask;
    case permission::Mode::accept_edits:
      return config::PermissionMode::accept_edits;
    case permission::Mode::plan:
      return config::PermissionMode::plan;
    case permission::Mode::bypass:
      return config::PermissionMode::bypass;
  }
  return config::PermissionMode::ask;
}

hooks::PermissionDecision to_hooks(permission::Decision decision) {
  switch (decision) {
    case permission::Decision::allow:
      return hooks::PermissionDecision::allow;
    case permission::Decision::ask:
      return hooks::PermissionDecision::ask;
    case permission::Decision::deny:
      return hooks::PermissionDecision::deny;
  }
  return hooks::PermissionDecision::deny;
}

permission::Decision from_hooks(hooks::PermissionDecision decision) {
  switch (decision) {
    case hooks::PermissionDecision::allow:
      return permission::Decision::allow;
    case hooks::PermissionDecision::ask:
      return permission::Decision::ask;
    case hooks::PermissionDecision::deny:
      return permission::Decision::deny;
  }
  return permission::Decision::deny;
}

}  // namespace

hooks::HookInput HookContext::with(hooks::EventInput event) const {
  hooks::HookInput input;
  input.session_id = session_id;
  input.prompt_id = run_id;
  input.cwd = cwd;
  input.project_directory = workspace;
  input.permission_mode = to_config(mode);
  input.event = std::move(event);
  return input;
}

permission::Verdict with_hooks(permission::Verdict verdict, const HookWord& word,
                               const Access& access) {
  auto said = word.permission;
  if (access.leaves_plan_mode && said == hooks::PermissionDecision::allow) said.reset();
  const auto asked_by =
      verdict.cause == permission::AskCause::place ? hooks::AskedBy::place : hooks::AskedBy::mode;
  const auto decision = from_hooks(hooks::combined(to_hooks(verdict.decision), said, asked_by));
  if (decision == verdict.decision) return verdict;
  return {decision, word.reason.empty() ? "A hook of this session decides so." : word.reason};
}

}  // namespace agentd::agent
