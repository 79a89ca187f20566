// The settings files in which hooks may stand, ours and Claude Code's, read and parsed. Blocks on
// the disk; any thread that may.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "hooks/settings.h"
#include "platform/files.h"

namespace agentd::hooks {

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
/// cannot be read config/settings.h tells, so it is not told here.
SettingsDocuments read_settings_documents(const std::string& directory, platform::Files& files,
                                          const config::Environment& environment);

}  // namespace agentd::hooks
