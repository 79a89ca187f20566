#include "server/engine.h"

#include <chrono>
#include <filesystem>
#include <iterator>

#include "config/denied_tools.h"
#include "config/trust.h"
#include "hooks/settings_documents.h"
#include "model/system_prompt.h"
#include "server/closed_sets.h"
#include "server/credentials.h"

namespace agentd::server {
namespace {

void set_ms(std::chrono::milliseconds& value, const std::optional<int>& said) {
  if (said) value = std::chrono::milliseconds(*said);
}

model::StallClocks stall_clocks(const config::StallSettings& settings) {
  model::StallClocks clocks;
  set_ms(clocks.first_byte, settings.first_byte_ms);
  set_ms(clocks.bytes, settings.bytes_ms);
  set_ms(clocks.progress, settings.progress_ms);
  return clocks;
}

model::RetryPolicy retry_policy(const config::RetrySettings& settings) {
  model::RetryPolicy policy;
  if (settings.attempts) policy.max_attempts = *settings.attempts;
  set_ms(policy.first_delay, settings.delay_ms);
  set_ms(policy.max_delay, settings.max_delay_ms);
  return policy;
}

// At the wish it came from, unless it names a file or a setting.
Error at_wish(Error error, const char* wish) {
  if (error.where.empty() || error.code == Code::invalid_input) error.where = wish;
  return error;
}

// The tools as the request and the settings want them; an error names what does not exist.
Result<agent::ToolWishes> tool_wishes(const RunWishes& wishes, const config::Settings& settings,
                                      const tools::Registry& tools) {
  const auto known = [&](const std::string& name) { return tools.find(name) != nullptr; };
  for (const std::string& name : wishes.tools.value_or(std::vector<std::string>())) {
    if (!known(name)) {
      return make_error(Code::invalid_input, "there is no tool \"" + name + "\" (see tool/list)",
                        "tools");
    }
  }
  agent::ToolWishes wanted{wishes.tools, settings.denied_tools, wishes.questions};
  const agent::OfferedTools offered(tools, wanted);
  const ToolChoice& choice = wishes.tool_choice;
  if (choice.kind == ToolChoiceKind::tool && offered.find(choice.name) == nullptr) {
    return make_error(Code::invalid_input,
                      "expected the name of a tool that is offered (" + offered.names() + ")",
                      "toolChoice.name");
  }
  if (choice.forces() && offered.definitions()->empty()) {
    return make_error(Code::invalid_input, "no tool is offered that could be called", "toolChoice");
  }
  return wanted;
}

// A budget that cannot be watched must not look as if it were.
std::optional<Error> unpriced_model(const agent::RunOptions& options) {
  if (!options.max_budget_usd) return std::nullopt;
  std::vector<const model::ResolvedModel*> models{&options.model};
  for (const auto& fallback : options.fallback_models) models.push_back(&fallback);
  if (options.summary_model) models.push_back(&*options.summary_model);
  for (const auto* model : models) {
    if (model->facts.prices) continue;
    return make_error(
        Code::invalid_input,
        "agentd knows no price of " + model->name +
            ", so it cannot keep a budget in dollars; leave it out, or limit the turns",
        "maxBudgetUsd");
  }
  return std::nullopt;
}

}  // namespace

Engine::Engine() : files_(platform::make_disk_files()) {}

Engine::~Engine() = default;

const tools::Registry& Engine::tools() {
  if (!tools_) tools_ = tools::built_in_tools();
  return *tools_;
}

// Stall clocks are the process's, not a session's: those of the directory agentd was started in.
model::Models& Engine::models() {
  if (!models_) {
    const auto loaded =
        config::load_settings(current_directory(), *files_, config::process_environment());
    http_ = platform::make_curl_http();
    models_ = std::make_unique<model::Models>(
        credentials(loaded.settings), stall_clocks(loaded.settings.stall), io_.clock(), *http_);
  }
  return *models_;
}

agent::Services Engine::services() {
  return {io_.clock(), ids_, *files_, io_.commands(), tools()};
}

Result<Engine::Beginning> Engine::begin(const std::string& directory, std::optional<bool> trusted) {
  if (directory.empty() && current_directory().empty()) {
    return make_error(Code::not_found,
                      "the directory agentd was started in does not exist any more; name another");
  }
  if (!directory.starts_with('/')) {
    return make_error(Code::invalid_input, "expected an absolute path, got \"" + directory + "\"");
  }
  auto canonical = files_->canonical(directory);
  if (!canonical) return canonical.error();
  const auto info = files_->info(*canonical);
  if (!info) return info.error();
  if (info->kind != platform::FileKind::directory) {
    return make_error(Code::invalid_input, directory + " is not a directory");
  }
  Beginning beginning;
  beginning.settings = config::load_settings(*canonical, *files_, config::process_environment());
  if (const auto mode = beginning.settings.settings.permission_mode) {
    beginning.conversation.set_mode(from_config(*mode));
  }
  read_what_needs_trust(*canonical, trusted, beginning);
  beginning.conversation.cwd = *canonical;
  beginning.conversation.workspace = std::move(*canonical);
  return beginning;
}

void Engine::read_what_needs_trust(const std::string& directory, std::optional<bool> trusted,
                                   Beginning& beginning) {
  const auto environment = config::process_environment();
  auto& notices = beginning.settings.notices;
  auto documents = hooks::read_settings_documents(directory, *files_, environment);
  std::move(documents.notices.begin(), documents.notices.end(), std::back_inserter(notices));
  if (!trusted) {
    const auto listed = config::is_trusted(config::trust_file(environment), directory, *files_);
    if (!listed) notices.push_back({"settings_broken", listed.error().message});
    trusted = listed.value_or(false);
  }
  const std::string config = config::config_directory(environment);
  beginning.memory_places = {.home = config::home_directory(environment),
                             .config = std::filesystem::path(config).parent_path().string(),
                             .root = {},
                             .cwd = {},
                             .trusted = *trusted};
  if (documents.list.empty()) return;
  for (const auto& document : documents.list) {
    auto denied = config::denied_tools(document.json, document.path);
    auto& names = beginning.settings.settings.denied_tools;
    std::move(denied.names.begin(), denied.names.end(), std::back_inserter(names));
    std::move(denied.notices.begin(), denied.notices.end(), std::back_inserter(notices));
  }
  auto loaded = hooks::load_hooks(documents.list, *trusted);
  std::move(loaded.notices.begin(), loaded.notices.end(), std::back_inserter(notices));
  if (loaded.ignored > 0) {
    std::string message =
        std::to_string(loaded.ignored) +
        " hooks of this workspace are ignored, as it is not trusted (`agentd trust " + directory +
        "`). They stand in";
    for (const auto& file : loaded.ignored_files) message += " " + file;
    notices.push_back({"settings_untrusted", std::move(message)});
  }
  beginning.hooks = std::make_shared<const hooks::HookSet>(std::move(loaded.set));
}

std::string Engine::default_model(const std::optional<std::string>& flag) {
  if (flag) return *flag;
  const auto loaded =
      config::load_settings(current_directory(), *files_, config::process_environment());
  return loaded.settings.model ? *loaded.settings.model : models().default_name();
}

Result<agent::RunOptions> Engine::options(const RunWishes& wishes, const config::Settings& settings,
                                          std::vector<agent::Notice>& notices) {
  std::string name = wishes.model.value_or(settings.model.value_or(""));
  if (name.empty()) {
    name = models().default_name();
    if (name == "demo") {
      notices.push_back({agent::NoticeLevel::info, "no_key",
                         "No model was named and there is no ANTHROPIC_API_KEY: the built-in demo "
                         "model answers. Set the key, or name a model."});
    }
  }
  auto model = models().resolve(name);
  if (!model) return at_wish(model.error(), "model");
  agent::RunOptions options;
  options.model = std::move(*model);
  options.system_prompt = wishes.system_prompt.value_or(std::string(model::system_prompt()));
  options.max_turns = wishes.max_turns.value_or(settings.max_turns.value_or(0));
  if (settings.tool_start) options.tool_start = from_config(*settings.tool_start);
  if (wishes.tool_start) options.tool_start = *wishes.tool_start;
  auto tools_wanted = tool_wishes(wishes, settings, tools());
  if (!tools_wanted) return tools_wanted.error();
  options.tools = std::move(*tools_wanted);
  options.tool_choice = wishes.tool_choice;
  options.retry = retry_policy(settings.retry);
  options.auto_compact = settings.auto_compact.value_or(true);
  options.max_budget_usd = wishes.max_budget_usd ? wishes.max_budget_usd : settings.max_budget_usd;
  for (const std::string& fallback : wishes.fallback_models.value_or(settings.fallback_models)) {
    auto resolved = models().resolve(fallback);
    if (!resolved) return at_wish(resolved.error(), "fallbackModels");
    options.fallback_models.push_back(std::move(*resolved));
  }
  const std::string summary_model =
      wishes.tool_summary_model.value_or(settings.tool_summary_model.value_or(""));
  if (!summary_model.empty()) {
    auto resolved = models().resolve(summary_model);
    if (!resolved) return at_wish(resolved.error(), "toolSummaryModel");
    options.summary_model = std::move(*resolved);
  }
  if (auto unpriced = unpriced_model(options)) return std::move(*unpriced);
  return options;
}

std::string current_directory() {
  std::error_code failed;
  const auto path = std::filesystem::current_path(failed);
  return failed ? std::string() : path.string();
}

std::vector<agent::Notice> to_notices(const std::vector<config::SettingsNotice>& notices) {
  std::vector<agent::Notice> out;
  for (const auto& notice : notices) {
    out.push_back({agent::NoticeLevel::warning, notice.code, notice.message});
  }
  return out;
}

}  // namespace agentd::server
