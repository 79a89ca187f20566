#include "config/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "config/unknown_keys.h"
#include "config/user_directories.h"
#include "platform/environment.h"
#include "wire/decode.h"
#include "wire/parse.h"

namespace agentd::config {
namespace {

// Settings are written by hand; a bigger file is something else.
constexpr std::uint64_t kMaxFile = 1024 * 1024;

enum class Layer { user, project };

bool names_script(const std::vector<std::string>& models) {
  return std::any_of(models.begin(), models.end(),
                     [](const std::string& model) { return model.starts_with("script:"); });
}

class Loader {
 public:
  Loader(platform::Files& files, const Environment& environment)
      : files_(files), environment_(environment) {}

  LoadedSettings load(const std::string& directory) {
    if (const std::string own = config_directory(environment_); !own.empty()) {
      add_file(own + "/settings.json", Layer::user);
    }
    users_mode_ = loaded_.settings.permission_mode.value_or(PermissionMode::ask);
    users_budget_ = loaded_.settings.max_budget_usd;
    if (!directory.empty()) {
      add_file(directory + "/.agentd/settings.json", Layer::project);
      add_file(directory + "/.agentd/settings.local.json", Layer::project);
    }
    add_environment();
    return std::move(loaded_);
  }

 private:
  void add_file(const std::string& path, Layer layer) {
    const auto text = files_.read(path, kMaxFile);
    if (!text) {
      if (text.error().code != Code::not_found)
        notice("settings_broken", path, text.error().message);
      return;
    }
    if (ascii::blank(*text)) return;
    auto json = wire::parse(*text);
    if (!json) return notice("settings_broken", path, json.error().message);
    if (!json->is_object()) return notice("settings_broken", path, "expected a JSON object");
    for (const std::string& each : unknown_keys(*json)) notice("settings_unknown", path, each);
    SettingsFile file = decode(path, std::move(*json));
    if (layer == Layer::project) drop_what_a_project_may_not_say(path, file);
    take(path, std::move(file));
  }

  // A value of the wrong shape costs its own key only.
  SettingsFile decode(const std::string& path, wire::Json json) {
    while (true) {
      auto file = wire::decode<SettingsFile>(json, "");
      if (file) return std::move(*file);
      notice("settings_value", path, file.error().message);
      const std::string key = file.error().where.substr(0, file.error().where.find_first_of(".["));
      if (json.erase(key) == 0) return {};
    }
  }

  void drop_what_a_project_may_not_say(const std::string& path, SettingsFile& file) {
    if (file.permission_mode && *file.permission_mode > users_mode_) {
      notice("settings_ignored", path,
             "permissionMode \"" + std::string(wire::name_of(*file.permission_mode)) +
                 "\" is looser than your own \"" + std::string(wire::name_of(users_mode_)) +
                 "\"; a project cannot grant itself that. Set it in your own settings, or with "
                 "the request");
      file.permission_mode.reset();
    }
    if (file.model && file.model->starts_with("script:")) {
      notice("settings_ignored", path, "a project cannot choose a script as the model");
      file.model.reset();
    }
    if (file.tool_summary_model && file.tool_summary_model->starts_with("script:")) {
      notice("settings_ignored", path, "a project cannot choose a script as toolSummaryModel");
      file.tool_summary_model.reset();
    }
    if (file.max_budget_usd && users_budget_ && *file.max_budget_usd > *users_budget_) {
      notice("settings_ignored", path, "a project cannot raise your maxBudgetUsd");
      file.max_budget_usd.reset();
    }
    if (file.fallback_models && names_script(*file.fallback_models)) {
      notice("settings_ignored", path, "a project cannot choose a script as a fallback model");
      file.fallback_models.reset();
    }
    if (file.anthropic || file.providers) {
      notice("settings_ignored", path, "keys and addresses never come from a project");
      file.anthropic.reset();
      file.providers.reset();
    }
  }

  template <class T>
  void set(std::optional<T>& value, std::optional<T> said, const char* key,
           const std::string& origin) {
    if (!said) return;
    value = std::move(said);
    loaded_.settings.origins[key] = origin;
  }

  void take(const std::string& path, SettingsFile file) {
    Settings& out = loaded_.settings;
    set(out.model, std::move(file.model), "model", path);
    set(out.permission_mode, file.permission_mode, "permissionMode", path);
    set(out.max_turns, file.max_turns, "maxTurns", path);
    set(out.tool_start, file.tool_start, "toolStart", path);
    if (file.fallback_models) {
      out.fallback_models = std::move(*file.fallback_models);
      out.origins["fallbackModels"] = path;
    }
    set(out.max_budget_usd, file.max_budget_usd, "maxBudgetUsd", path);
    set(out.tool_summary_model, std::move(file.tool_summary_model), "toolSummaryModel", path);
    set(out.auto_compact, file.auto_compact, "autoCompact", path);
    set(out.sessions, file.sessions, "sessions", path);
    set(out.session_sync, file.session_sync, "sessionSync", path);
    if (file.retry) {
      set(out.retry.attempts, file.retry->attempts, "retry.attempts", path);
      set(out.retry.delay_ms, file.retry->delay_ms, "retry.delayMs", path);
      set(out.retry.max_delay_ms, file.retry->max_delay_ms, "retry.maxDelayMs", path);
    }
    if (file.stall) {
      set(out.stall.first_byte_ms, file.stall->first_byte_ms, "stall.firstByteMs", path);
      set(out.stall.bytes_ms, file.stall->bytes_ms, "stall.bytesMs", path);
      set(out.stall.progress_ms, file.stall->progress_ms, "stall.progressMs", path);
    }
    if (file.anthropic) {
      set_text(out.anthropic_api_key, file.anthropic->api_key, "anthropic.apiKey", path);
      set_text(out.anthropic_base_url, file.anthropic->base_url, "anthropic.baseUrl", path);
    }
    if (file.providers) take_providers(path, *file.providers);
  }

  // One that is wrong costs itself only.
  void take_providers(const std::string& path, const wire::Json& providers) {
    for (const auto& [name, json] : providers.items()) {
      auto provider = read_provider(name, json);
      if (!provider) {
        notice("settings_value", path, provider.error().message);
        continue;
      }
      provider->origin = path;
      if (!provider->api_key_env.empty()) {
        provider->api_key = environment_(provider->api_key_env).value_or("");
      }
      loaded_.settings.providers.push_back(std::move(*provider));
    }
  }

  void set_text(std::string& value, const std::optional<std::string>& said, const char* key,
                const std::string& origin) {
    if (!said || said->empty()) return;
    value = *said;
    loaded_.settings.origins[key] = origin;
  }

  void add_environment() {
    Settings& out = loaded_.settings;
    set_text(out.anthropic_api_key, environment_("ANTHROPIC_API_KEY"), "anthropic.apiKey",
             "ANTHROPIC_API_KEY");
    set_text(out.anthropic_base_url, environment_("ANTHROPIC_BASE_URL"), "anthropic.baseUrl",
             "ANTHROPIC_BASE_URL");
    set_text(out.openai_api_key, environment_("OPENAI_API_KEY"), "openai.apiKey", "OPENAI_API_KEY");
    set_text(out.openai_base_url, environment_("OPENAI_BASE_URL"), "openai.baseUrl",
             "OPENAI_BASE_URL");
    set_text(out.ollama_host, environment_("OLLAMA_HOST"), "ollama.host", "OLLAMA_HOST");
    const auto turns = environment_("AGENTD_MAX_TURNS");
    if (!turns || turns->empty()) return;
    int number = 0;
    const auto [end, error] = std::from_chars(turns->data(), turns->data() + turns->size(), number);
    if (error != std::errc() || end != turns->data() + turns->size() || number < 0) {
      return notice("settings_value", "AGENTD_MAX_TURNS",
                    "expected a whole number, 0 or more; it is ignored");
    }
    set(out.max_turns, std::optional<int>(number), "maxTurns", "AGENTD_MAX_TURNS");
  }

  void notice(const char* code, const std::string& place, const std::string& message) {
    loaded_.notices.push_back({code, place + ": " + message});
  }

  platform::Files& files_;
  const Environment& environment_;
  PermissionMode users_mode_ = PermissionMode::ask;
  std::optional<double> users_budget_;
  LoadedSettings loaded_;
};

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::set<std::string> key_variables() {
  const auto files = platform::make_disk_files();
  std::set<std::string> names;
  for (const Provider& provider : load_settings("", *files, variable).settings.providers) {
    if (!provider.api_key_env.empty()) names.insert(provider.api_key_env);
  }
  return names;
}

const std::map<std::string, std::string>& hidden_secrets() {
  static const std::map<std::string, std::string> secrets = platform::take_secrets(key_variables());
  return secrets;
}

}  // namespace

void hide_secrets() {
  hidden_secrets();
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const auto& secrets = hidden_secrets();
    if (const auto found = secrets.find(name); found != secrets.end()) return found->second;
    return variable(name);
  };
}

LoadedSettings load_settings(const std::string& directory, platform::Files& files,
                             const Environment& environment) {
  return Loader(files, environment).load(directory);
}

}  // namespace agentd::config
