#include "server/doctor/probe.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/version.h"
#include "config/trust.h"
#include "config/user_directories.h"
#include "hooks/settings_documents.h"
#include "server/doctor/command_words.h"
#include "server/doctor/endpoints.h"

namespace agentd::server::doctor {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

ProgramFact probe_program(const std::string& name, platform::Commands& commands) {
  platform::CommandSpec spec;
  spec.argv = {name, "--version"};
  spec.cwd = "/";
  spec.timeout = kPatience;
  const auto end = commands.run(std::move(spec), {});
  const bool well = end && end->how == platform::CommandEnd::How::exited && end->exit_code == 0;
  if (!well) return {name, std::nullopt};
  return {name, first_line(end->standard_output.head)};
}

// Also of a file that is not there yet: the deepest directory above it that is.
std::string fault_of_writing(const fs::path& path) {
  std::error_code failed;
  fs::path existing = path;
  while (!fs::exists(existing, failed) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  if (!fs::is_directory(existing, failed)) return existing.string() + " is not a directory";
  if (::access(existing.c_str(), W_OK | X_OK) == 0) return "";
  return existing == path ? "it is not writable" : existing.string() + " is not writable";
}

DirectoryFact directory(const std::string& purpose, const std::string& path) {
  return {purpose, path, path.empty() ? "" : fault_of_writing(path)};
}

// A relative one is meant from where the hooks run.
bool is_there(const std::string& needed, const std::string& cwd, const std::string& search_path) {
  std::error_code failed;
  if (needed.find('/') != std::string::npos) return fs::exists(fs::path(cwd) / needed, failed);
  for (std::size_t begin = 0; begin <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
    const fs::path place = fs::path(search_path.substr(begin, end - begin)) / needed;
    if (place.is_absolute() && ::access(place.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

class Probe {
 public:
  Probe(const ProbeOptions& options, Engine& engine)
      : options_(options), engine_(engine), environment_(config::process_environment()) {}

  Facts all() {
    std::error_code failed;
    facts_.version = version();
    facts_.binary = fs::read_symlink("/proc/self/exe", failed).string();
    workspace();
    const auto loaded = config::load_settings(facts_.workspace.path, engine_.files(), environment_);
    facts_.settings.notices = loaded.notices;
    hooks();
    mode(loaded.settings);
    model(loaded.settings);
    keys(loaded.settings);
    endpoints(loaded.settings);
    for (const char* name : {"rg", "git"}) {
      facts_.programs.push_back(probe_program(name, engine_.io().commands()));
    }
    directories();
    network();
    return std::move(facts_);
  }

 private:
  std::string variable(const char* name) const { return environment_(name).value_or(""); }

  void workspace() {
    std::error_code failed;
    const std::string wanted =
        options_.cwd.empty() ? current_directory() : fs::absolute(options_.cwd, failed).string();
    WorkspaceFact& fact = facts_.workspace;
    if (wanted.empty() || !fs::is_directory(wanted, failed)) {
      fact.fault = (wanted.empty() ? "the current directory" : wanted) + " is no directory";
      return;
    }
    fact.path = engine_.files().canonical(wanted).value_or(wanted);
    const auto trusted =
        config::is_trusted(config::trust_file(environment_), fact.path, engine_.files());
    if (!trusted) fact.trust_fault = trusted.error().message;
    fact.trusted = trusted.value_or(false);
  }

  void hooks() {
    auto documents =
        hooks::read_settings_documents(facts_.workspace.path, engine_.files(), environment_);
    auto loaded = hooks::load_hooks(documents.list, facts_.workspace.trusted);
    auto& notices = facts_.settings.notices;
    std::move(documents.notices.begin(), documents.notices.end(), std::back_inserter(notices));
    std::move(loaded.notices.begin(), loaded.notices.end(), std::back_inserter(notices));
    for (const auto& document : documents.list) facts_.settings.files.push_back(document.path);
    facts_.workspace.ignored_hooks = loaded.ignored;
    for (const hooks::Hook& hook : loaded.set.hooks) {
      facts_.hooks.push_back({hook.event, hook.origin, missing(hook)});
    }
  }

  std::string missing(const hooks::Hook& hook) const {
    const std::string& project = facts_.workspace.path;
    for (const std::string& each : needed(hook, project, config::home_directory(environment_))) {
      if (!is_there(each, project, variable("PATH"))) return each;
    }
    return "";
  }

  static std::string origin(const config::Settings& settings, const char* key) {
    const auto found = settings.origins.find(key);
    return found == settings.origins.end() ? "" : found->second;
  }

  void mode(const config::Settings& settings) {
    facts_.mode = {
        std::string(wire::name_of(settings.permission_mode.value_or(config::PermissionMode::ask))),
        origin(settings, "permissionMode")};
  }

  void model(const config::Settings& settings) {
    facts_.model.name = settings.model.value_or(engine_.models().default_name());
    facts_.model.origin = origin(settings, "model");
    const auto resolved = engine_.models().resolve(facts_.model.name);
    if (!resolved) facts_.model.fault = resolved.error().message;
  }

  void keys(const config::Settings& settings) {
    const std::string from = origin(settings, "anthropic.apiKey");
    const bool in_file = from.starts_with('/');
    facts_.keys.push_back({in_file ? from + ": anthropic.apiKey" : "ANTHROPIC_API_KEY",
                           !settings.anthropic_api_key.empty(), false});
    facts_.keys.push_back({"OPENAI_API_KEY", !settings.openai_api_key.empty(), false});
    for (const config::Provider& provider : settings.providers) {
      if (provider.api_key_env.empty()) continue;
      facts_.keys.push_back({provider.api_key_env, !provider.api_key.empty(), true});
    }
  }

  void endpoints(const config::Settings& settings) {
    auto list = questions(settings, engine_.models(), facts_.model.name);
    if (!options_.offline) {
      const auto http = platform::make_curl_http();
      facts_.endpoints = ask(std::move(list), *http);
      return;
    }
    for (Question& question : list) facts_.endpoints.push_back(std::move(question.fact));
  }

  void directories() {
    facts_.directories = {directory("config", config::config_directory(environment_)),
                          directory("data", config::data_directory(environment_))};
    const std::string said = variable("TMPDIR");
    facts_.directories.push_back(directory("temporary", said.empty() ? "/tmp" : said));
    DirectoryFact& temporary = facts_.directories.back();
    std::error_code failed;  // this one nobody makes
    if (!fs::is_directory(temporary.path, failed)) temporary.fault = "it is no directory";
  }

  void network() {
    for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                             "no_proxy", "NO_PROXY"}) {
      const std::string value = variable(name);
      if (!value.empty()) facts_.network.push_back({name, without_credentials(value), false, true});
    }
    for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
      const std::string value = variable(name);
      if (value.empty()) continue;
      facts_.network.push_back({name, value, true, ::access(value.c_str(), R_OK) == 0});
    }
  }

  const ProbeOptions& options_;
  Engine& engine_;
  const config::Environment environment_;
  Facts facts_;
};

}  // namespace

Facts probe(const ProbeOptions& options, Engine& engine) {
  return Probe(options, engine).all();
}

}  // namespace agentd::server::doctor
