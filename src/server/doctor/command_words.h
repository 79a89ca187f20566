// What a hook's command needs to be there, as far as its text tells: the program it begins with,
// and the script an interpreter is given. A guess on the careful side: what a shell would have to
// work out first (variables, `if`, pipes behind it) is not judged. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hooks/hook_set.h"

namespace agentd::server::doctor {

/// Of `FOO=1 python3 "$CLAUDE_PROJECT_DIR/guard.py" --strict`: python3, and guard.py's path with
/// `project` (absolute) in place of the variable, `home` of `~`. A name without a slash is one to
/// be looked up in PATH. Empty if nothing can be said.
std::vector<std::string> needed(const hooks::Hook& hook, const std::string& project,
                                const std::string& home);

}  // namespace agentd::server::doctor
