// What the settings files of a workspace and its user rule, ours and Claude Code's, besides
// agentd's own values (config/settings.h): hooks, denied tools, and whether the workspace's own
// hooks count. A session begins with them, and `agentd doctor` judges them. Blocks on the disk;
// the thread that begins sessions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "hooks/settings.h"
#include "platform/files.h"
#include "tools/registry.h"

namespace agentd::server {

struct WorkspaceRules {
  std::vector<std::string> files;  // those there are, in the order in which they count
  bool trusted = false;
  std::string trust_fault;  // of the list of trusted directories; empty: none
  hooks::HookSet hooks;
  std::size_t ignored_hooks = 0;  // of the workspace, because it is not trusted
  std::vector<std::string> ignored_files;
  std::vector<std::string> denied_tools;
  std::vector<config::SettingsNotice> notices;  // of the files' faults
};

/// `directory` is absolute; empty: only the user's own files. `trusted`: as somebody said; absent,
/// as the user's list of trusted directories has it.
WorkspaceRules read_workspace_rules(const std::string& directory, std::optional<bool> trusted,
                                    platform::Files& files, const config::Environment& environment,
                                    const tools::Registry& tools);

}  // namespace agentd::server
