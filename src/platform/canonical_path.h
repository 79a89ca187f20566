// Canonical paths: the name of a file that does not depend on links. The ground of every decision
// about what lies inside the workspace. Blocks on the disk; any thread that may.
#pragma once

#include <string>

#include "base/result.h"

namespace agentd::platform {

/// As Files::canonical.
Result<std::string> canonical_path(const std::string& path);

/// An error if `path` is not one the system could take: absolute and without a NUL.
Result<void> check_path(const std::string& path);

}  // namespace agentd::platform
