// PermissionMode: how much a run may do unasked. permission/ judges by it; tools are told it, and
// one of them may change it.
#pragma once

#include <optional>
#include <string_view>

namespace agentd {

enum class PermissionMode {
  ask,           // reading inside the workspace is free, the rest asks
  accept_edits,  // also writing inside the workspace
  plan,          // nothing that changes anything; commands are denied
  bypass,        // asks nothing
};

std::string_view to_string(PermissionMode mode);  // "ask", "acceptEdits", "plan", "bypass"
std::optional<PermissionMode> parse_mode(std::string_view name);

}  // namespace agentd
