// Settings: agentd's own files, put together in layers, each value with its origin.
//
//   1 user      $XDG_CONFIG_HOME/agentd/settings.json   (~/.config/agentd/settings.json)
//   2 project   DIR/.agentd/settings.json
//   3 local     DIR/.agentd/settings.local.json
//   4 the environment: AGENTD_MAX_TURNS, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY,
//     OPENAI_BASE_URL, OLLAMA_HOST
//
// Later wins, key by key. A file that is broken, a value of the wrong shape, or a key nobody knows
// is a notice that names file and place; the rest counts. Layers 2 and 3 come with the project,
// which may be anybody's, so they cannot loosen what the user decided: a permission mode looser
// than the user's own (or than `ask`), a higher maxBudgetUsd, a `script:` model, keys and addresses
// are ignored there, with a notice. What is about hooks is read by hooks/settings.h, from Claude
// Code's files too.
//
// Reads a few small regular files; called by the reader thread when a session begins.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/providers.h"
#include "config/settings_file.h"
#include "config/user_directories.h"
#include "platform/files.h"

namespace agentd::config {

struct Settings {
  std::optional<std::string> model;
  std::optional<PermissionMode> permission_mode;
  std::optional<int> max_turns;
  std::optional<ToolStart> tool_start;
  std::vector<std::string> fallback_models;
  std::optional<double> max_budget_usd;
  std::optional<bool> auto_compact;
  std::optional<bool> sessions;             // false: this one is not stored
  std::optional<SessionSync> session_sync;  // of the user's own file
  std::optional<std::string> tool_summary_model;
  RetrySettings retry;
  StallSettings stall;
  std::string anthropic_api_key;   // empty: none
  std::string anthropic_base_url;  // empty: the usual one
  std::string openai_api_key;      // empty: none
  std::string openai_base_url;     // empty: the usual one
  std::string ollama_host;         // empty: the usual one
  std::vector<Provider> providers;
  std::vector<std::string> denied_tools;  // by denied_tools.h, from Claude Code's files too
  /// Where each value that is set came from: `maxTurns`, `retry.attempts` -> a file, or the name
  /// of the variable.
  std::map<std::string, std::string> origins;
};

/// Something in the settings a person should know.
struct SettingsNotice {
  /// settings_broken, settings_value, settings_unknown, settings_ignored, settings_rule
  std::string code;
  std::string message;
};

struct LoadedSettings {
  Settings settings;
  std::vector<SettingsNotice> notices;
};

/// Takes the secrets out of the process's environment, where its children could find them, and
/// keeps them for process_environment(): what looks like one by its name, and the variables that
/// the user's settings name for keys. Once, before the first thread.
void hide_secrets();

/// The process's own, as it was at the start.
Environment process_environment();

/// `directory` is the workspace, absolute; empty: only the user's own file and the environment.
LoadedSettings load_settings(const std::string& directory, platform::Files& files,
                             const Environment& environment);

}  // namespace agentd::config
