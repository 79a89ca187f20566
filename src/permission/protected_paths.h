// Protected paths: places inside a workspace where a write can run code later (git hooks, editor
// tasks, shell start files) or change what an agent may do. Writing there asks in every mode but
// bypass.
#pragma once

#include <string_view>

namespace agentd::permission {

/// Both canonical; `path` is inside `workspace`. Only what lies below the workspace counts, so a
/// workspace that itself sits under such a directory stays usable.
bool protected_path(std::string_view path, std::string_view workspace);

}  // namespace agentd::permission
