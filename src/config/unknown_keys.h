// Keys of a settings file that nothing reads: most often a known one mistyped. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings_file.h"

namespace agentd::config {

/// One sentence for each unknown key of `json` (an object), with the known key it resembles. Names
/// keys only, never values: one may be a secret under a mistyped name. At most a few; the last one
/// then tells how many more there are.
std::vector<std::string> unknown_keys(const wire::Json& json);

}  // namespace agentd::config
