// SettingsFile: what one settings.json may say. Declared once; unknown keys are ignored with a
// notice (unknown_keys.h), so that older and newer versions share a file. Values only, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/description.h"

namespace agentd::config {

/// How much a run may do unasked, from strict to loose. permission/ judges by its own enum; the
/// names are the same.
enum class PermissionMode { plan, ask, accept_edits, bypass };

constexpr auto wire_names(PermissionMode) {
  using enum PermissionMode;
  return wire::names<PermissionMode>(
      "", {{plan, "plan"}, {ask, "ask"}, {accept_edits, "acceptEdits"}, {bypass, "bypass"}});
}

enum class SessionSync { normal, full };

constexpr auto wire_names(SessionSync) {
  using enum SessionSync;
  return wire::names<SessionSync>("", {{normal, "normal"}, {full, "full"}});
}

enum class ToolStart { streaming, after_reply };

constexpr auto wire_names(ToolStart) {
  using enum ToolStart;
  return wire::names<ToolStart>("", {{streaming, "streaming"}, {after_reply, "afterReply"}});
}

struct RetrySettings {
  std::optional<int> attempts;
  std::optional<int> delay_ms;
  std::optional<int> max_delay_ms;

  static void fields(auto& field) {
    field("attempts", &RetrySettings::attempts, "Tries of one model call, the first included.",
          {.minimum = 1, .maximum = 100});
    field("delayMs", &RetrySettings::delay_ms, "The first wait; it doubles.", {.minimum = 0});
    field("maxDelayMs", &RetrySettings::max_delay_ms, "The longest wait.", {.minimum = 0});
  }
};

struct StallSettings {
  std::optional<int> first_byte_ms;
  std::optional<int> bytes_ms;
  std::optional<int> progress_ms;

  static void fields(auto& field) {
    field("firstByteMs", &StallSettings::first_byte_ms, "Until the endpoint says anything.",
          {.minimum = 1});
    field("bytesMs", &StallSettings::bytes_ms, "Between two bytes of it, pings included.",
          {.minimum = 1});
    field("progressMs", &StallSettings::progress_ms, "Between two pieces of the reply.",
          {.minimum = 1});
  }
};

/// Only in the user's own file.
struct AnthropicSettings {
  std::optional<std::string> api_key;
  std::optional<std::string> base_url;

  static void fields(auto& field) {
    field("apiKey", &AnthropicSettings::api_key, "Used where ANTHROPIC_API_KEY is not set.");
    field("baseUrl", &AnthropicSettings::base_url, "Used where ANTHROPIC_BASE_URL is not set.");
  }
};

enum class ProviderApi { openai_chat };

constexpr auto wire_names(ProviderApi) {
  return wire::names<ProviderApi>("", {{ProviderApi::openai_chat, "openai-chat"}});
}

/// One member of `providers`, only in the user's own file.
struct ProviderSettings {
  ProviderApi api = ProviderApi::openai_chat;
  std::string base_url;
  std::optional<std::string> api_key_env;
  std::optional<std::vector<std::string>> models;
  std::optional<bool> think_tags;
  std::optional<std::int64_t> context_window;

  static void fields(auto& field) {
    field("api", &ProviderSettings::api, "Which API it speaks.");
    field("baseUrl", &ProviderSettings::base_url, "What stands before /chat/completions.");
    field("apiKeyEnv", &ProviderSettings::api_key_env, "The variable that holds its key.");
    field("models", &ProviderSettings::models, "Names for model/list.");
    field("contextWindow", &ProviderSettings::context_window,
          "Tokens that its models hold, where agentd does not know.", {.minimum = 1'000});
    field("thinkTags", &ProviderSettings::think_tags, "Its text begins with <think>.");
  }
};

struct SettingsFile {
  std::optional<std::string> model;
  std::optional<PermissionMode> permission_mode;
  std::optional<int> max_turns;
  std::optional<ToolStart> tool_start;
  std::optional<std::vector<std::string>> fallback_models;
  std::optional<double> max_budget_usd;
  std::optional<bool> auto_compact;
  std::optional<bool> sessions;
  std::optional<SessionSync> session_sync;
  std::optional<std::string> tool_summary_model;
  std::optional<RetrySettings> retry;
  std::optional<StallSettings> stall;
  std::optional<AnthropicSettings> anthropic;
  std::optional<wire::Json> hooks;              // hooks/settings.h reads and judges
  std::optional<wire::Json> disable_all_hooks;  // these two
  std::optional<wire::Json> providers;
  std::optional<wire::Json> permissions;  // denied_tools.h reads and judges

  static void fields(auto& field) {
    field("model", &SettingsFile::model, "As in agent/start.");
    field("permissionMode", &SettingsFile::permission_mode, "As in agent/start.");
    field("maxTurns", &SettingsFile::max_turns, "As in agent/start.", {.minimum = 0});
    field("toolStart", &SettingsFile::tool_start, "As in agent/start.");
    field("fallbackModels", &SettingsFile::fallback_models, "As in agent/start.");
    field("maxBudgetUsd", &SettingsFile::max_budget_usd, "As in agent/start.", {.minimum = 0});
    field("autoCompact", &SettingsFile::auto_compact,
          "Whether a conversation that nears the model's window is summed up.");
    field("sessions", &SettingsFile::sessions, "false: sessions are not stored.");
    field("sessionSync", &SettingsFile::session_sync,
          "What a power cut may cost: normal (the last moments), full (nothing; slower).");
    field("toolSummaryModel", &SettingsFile::tool_summary_model, "As in agent/start.");
    field("retry", &SettingsFile::retry, "How failed model calls are tried again.");
    field("stall", &SettingsFile::stall, "How long a silent endpoint is waited for.");
    field("anthropic", &SettingsFile::anthropic, "Key and address of the Anthropic API.");
    field("hooks", &SettingsFile::hooks, "Commands that run at events, as in Claude Code.");
    field("disableAllHooks", &SettingsFile::disable_all_hooks, "true: no hook runs.");
    field("providers", &SettingsFile::providers, "More endpoints, by name.", {.object = true});
    field("permissions", &SettingsFile::permissions, "deny: tools that are never offered.");
  }
};

}  // namespace agentd::config
