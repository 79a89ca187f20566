#include "message/permission_mode.h"

namespace agentd {

std::string_view to_string(PermissionMode mode) {
  switch (mode) {
    case PermissionMode::ask:
      return "ask";
    case PermissionMode::accept_edits:
      return "acceptEdits";
    case PermissionMode::plan:
      return "plan";
    case PermissionMode::bypass:
      return "bypass";
  }
  return "ask";
}

std::optional<PermissionMode> parse_mode(std::string_view name) {
  using enum PermissionMode;
  for (const PermissionMode mode : {ask, accept_edits, plan, bypass}) {
    if (name == to_string(mode)) return mode;
  }
  return std::nullopt;
}

}  // namespace agentd
