// The tools that settings files deny outright: `permissions.deny`, of which a bare tool name is
// understood so far, as in Claude Code's files. A deny counts wherever it stands. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "wire/parse.h"

namespace agentd::config {

struct DeniedTools {
  std::vector<std::string> names;
  std::vector<SettingsNotice> notices;
};

/// What the parsed file at `path` denies. A rule for some calls of a tool only (`Bash(rm:*)`) is
/// not kept yet, and a name that only resembles one of `known_tools` denies nothing: notices say
/// so. Other names may be of tools that another version or program has.
DeniedTools denied_tools(const wire::Json& file, const std::string& path,
                         const std::vector<std::string>& known_tools);

}  // namespace agentd::config
