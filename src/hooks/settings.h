// The hooks that settings files ask for, in the format of Claude Code:
//
//   {"disableAllHooks": false,
//    "hooks": {"PreToolUse": [{"matcher": "Bash|Edit",
//                              "hooks": [{"type": "command", "command": "...", "timeout": 60}]}]}}
//
// A fault costs only what it stands in, and is told with file and place. A hook whose meaning we
// cannot keep (`if`, `async`, another type than `command`) is left out and told: run for every
// call, or waited for, it would decide what its author never asked. Pure, but for
// read_settings_documents.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/settings.h"
#include "hooks/hook_set.h"
#include "platform/files.h"

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

/// The hooks of `documents`, which are in the order in which they count. A `disableAllHooks` of a
/// later document wins. Of an untrusted project nothing counts, and nothing is said of its faults.
LoadedHooks load_hooks(const std::vector<SettingsDocument>& documents, bool trusted);

struct SettingsDocuments {
  std::vector<SettingsDocument> list;
  std::vector<config::SettingsNotice> notices;
};

/// The documents there are for the workspace `directory` (absolute; empty: the user's own only), in
/// the order in which they count:
///
///   user      ~/.claude/settings.json, $XDG_CONFIG_HOME/agentd/settings.json
///   project   .claude/settings.json, .claude/settings.local.json, .agentd/settings.json,
///             .agentd/settings.local.json
///
/// A file that is both (the workspace is the home directory) is the user's. Of a file of ours that
/// cannot be read config/settings.h tells, so it is not told here. Blocks on the disk.
SettingsDocuments read_settings_documents(const std::string& directory, platform::Files& files,
                                          const config::Environment& environment);

}  // namespace agentd::hooks
