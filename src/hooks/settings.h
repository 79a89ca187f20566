// The hooks that settings files ask for, in the format of Claude Code:
//
//   {"disableAllHooks": false,
//    "hooks": {"PreToolUse": [{"matcher": "Bash|Edit",
//                              "hooks": [{"type": "command", "command": "...", "timeout": 60}]}]}}
//
// A fault costs only what it stands in, and is told with file and place. A hook whose meaning we
// cannot keep (`if`, `async`, another type than `command`) is left out and told: run for every
// call, or waited for, it would decide what its author never asked. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/settings.h"
#include "hooks/hook_set.h"

namespace agentd::hooks {

/// One settings file, parsed.
struct SettingsDocument {
  std::string path;
  bool from_project = false;  // came with the workspace, so it may be anybody's
  Json json;
};

struct LoadedHooks {
  HookSet set;
  std::vector<config::SettingsNotice> notices;
  std::size_t ignored = 0;                 // hooks of the project, because it is not trusted
  std::vector<std::string> ignored_files;  // where these stand
};

/// The hooks of `documents`, which are in the order in which they count. `disableAllHooks` in the
/// user's files disables all hooks, in a trusted project's only the project's: a repository must
/// not switch the user's guards off. Of several files of one owner the last that says it counts. Of
/// an untrusted project nothing counts, and nothing is said of its faults.
LoadedHooks load_hooks(const std::vector<SettingsDocument>& documents, bool trusted);

}  // namespace agentd::hooks
