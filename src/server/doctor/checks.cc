#include "server/doctor/checks.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace agentd::server::doctor {
namespace {

void append(Findings& to, Findings from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::string from_origin(const std::string& origin) {
  return origin.empty() ? "" : " (" + origin + ")";
}

// What a notice of the settings weighs: a file that does not count at all is a failure.
Level level_of(const config::SettingsNotice& notice) {
  return notice.code == "settings_broken" ? Level::fail : Level::warn;
}

std::string fix_of(const config::SettingsNotice& notice) {
  if (notice.code == "settings_broken") return "correct the file; until then it does not count";
  if (notice.code == "settings_value") return "correct the value; until then the default counts";
  if (notice.code == "settings_unknown") return "correct or remove it";
  if (notice.code == "settings_ignored") return "set it in your own settings";
  return "";
}

// `model` is told to the endpoint without its provider's name.
bool lists(const EndpointFact& endpoint, const std::string& model) {
  const std::string name = model.substr(std::min(model.size(), endpoint.name.size() + 1));
  // Ollama lists `NAME:latest` for what is asked for as `NAME`.
  return std::any_of(endpoint.models.begin(), endpoint.models.end(), [&](const std::string& each) {
    return each == name || each == name + ":latest";
  });
}

std::string with_detail(std::string text, const std::string& detail) {
  return detail.empty() ? text : std::move(text) + ": " + detail;
}

Finding check_answered(const EndpointFact& endpoint, const std::string& model, Finding finding) {
  finding.what += endpoint.key_from.empty() ? " answers" : " answers and accepts the key";
  const bool whole_list = endpoint.answers_runs && !endpoint.models.empty();
  if (!whole_list || lists(endpoint, model)) return finding;
  finding.level = Level::warn;
  finding.what += ", but does not list " + model;
  finding.fix =
      endpoint.name == "ollama"
          ? "ollama pull " + model.substr(std::min(model.size(), endpoint.name.size() + 1))
          : "name one it lists, such as " + endpoint.name + "/" + endpoint.models.front();
  return finding;
}

Finding check_unreached(const EndpointFact& endpoint, Finding finding) {
  if (endpoint.optional && !endpoint.answers_runs) {
    finding.level = Level::ok;
    finding.what = "not running at " + endpoint.base_url;
    return finding;
  }
  finding.fix = endpoint.name == "ollama"
                    ? "start it (ollama serve), or set OLLAMA_HOST"
                    : "check " + endpoint.base_url_from + ", the network and the proxy";
  return finding;
}

}  // namespace

Findings check_settings(const SettingsFact& settings) {
  Findings findings;
  for (const std::string& file : settings.files) {
    const auto named = [&](const config::SettingsNotice& notice) {
      return notice.message.starts_with(file + ": ");
    };
    const bool faulty = std::any_of(settings.notices.begin(), settings.notices.end(), named);
    if (!faulty) findings.push_back({Level::ok, "settings", file});
  }
  for (const config::SettingsNotice& notice : settings.notices) {
    findings.push_back({level_of(notice), "settings", notice.message, fix_of(notice)});
  }
  if (findings.empty()) findings.push_back({Level::ok, "settings", "no file: the defaults count"});
  return findings;
}

Finding check_model(const ModelFact& model) {
  if (!model.fault.empty()) {
    return {Level::fail, "model", model.name + from_origin(model.origin) + ": " + model.fault};
  }
  if (model.name == "demo" && model.origin.empty()) {
    return {Level::warn, "model",
            "demo, the built-in one, as no model is named and no key is there",
            "set ANTHROPIC_API_KEY, or name a model (\"model\" in settings, --model)"};
  }
  return {Level::ok, "model",
          model.name + (model.origin.empty() ? " (the default)" : from_origin(model.origin))};
}

Findings check_workspace(const WorkspaceFact& workspace) {
  if (!workspace.fault.empty()) {
    return {{Level::fail, "workspace", workspace.fault, "name another with --cwd"}};
  }
  Findings findings;
  if (!workspace.trust_fault.empty()) {
    findings.push_back({Level::fail, "trust", workspace.trust_fault});
  }
  const std::string fix = "agentd trust " + workspace.path;
  if (workspace.trusted) {
    findings.push_back({Level::ok, "workspace", workspace.path + ", trusted"});
  } else if (workspace.ignored_hooks > 0) {
    findings.push_back({Level::warn, "workspace",
                        workspace.path + ", not trusted: its hooks (" +
                            std::to_string(workspace.ignored_hooks) + ") are ignored",
                        fix});
  } else {
    findings.push_back({Level::ok, "workspace", workspace.path + ", not trusted"});
  }
  return findings;
}

Finding check_key(const KeyFact& key) {
  if (key.set) return {Level::ok, "key", key.variable + " is set"};
  if (!key.wanted) return {Level::ok, "key", key.variable + " is not set"};
  return {Level::warn, "key",
          key.variable + " is not set, and a provider in your settings needs it",
          "set it in agentd's environment"};
}

Finding check_endpoint(const EndpointFact& endpoint, const std::string& model) {
  // Of what nobody uses today it is good to know, no more.
  Finding finding{endpoint.answers_runs ? Level::fail : Level::warn, endpoint.name,
                  endpoint.base_url};
  switch (endpoint.answer) {
    case Answer::not_asked:
      finding.level = Level::ok;
      finding.what += ", not asked";
      return finding;
    case Answer::unusable:
      finding.what = endpoint.detail;
      return finding;
    case Answer::answered:
      finding.level = Level::ok;
      return check_answered(endpoint, model, std::move(finding));
    case Answer::no_list:
      finding.level = Level::warn;
      finding.what += " answers, but has no list of models (status " +
                      std::to_string(endpoint.status) + "), so the key was not tried";
      finding.fix = "check " + endpoint.base_url_from + " if runs fail";
      return finding;
    case Answer::refused:
      finding.what = with_detail(
          finding.what + " refuses the key (status " + std::to_string(endpoint.status) + ")",
          endpoint.detail);
      finding.fix = endpoint.key_from.empty() ? "give it a key: apiKeyEnv in its settings"
                                              : "set another " + endpoint.key_from;
      return finding;
    case Answer::not_an_api:
      finding.what =
          with_detail(finding.what + " answers, but not as an API does", endpoint.detail);
      finding.fix = "check " + endpoint.base_url_from;
      return finding;
    case Answer::failing:
      finding.what =
          with_detail(finding.what + " answers with status " + std::to_string(endpoint.status),
                      endpoint.detail);
      finding.fix = "try again later; if it stays, check " + endpoint.base_url_from;
      return finding;
    case Answer::silent:
      finding.what += " did not answer in 3 s";
      return check_unreached(endpoint, std::move(finding));
    case Answer::no_contact:
      finding.what = with_detail(finding.what + " cannot be reached", endpoint.detail);
      return check_unreached(endpoint, std::move(finding));
  }
  return finding;
}

Finding check_program(const ProgramFact& program) {
  if (program.version) return {Level::ok, program.name, *program.version};
  if (program.name == "rg") {
    return {Level::fail, program.name, "not found: Glob and Grep cannot search",
            "install ripgrep (apt install ripgrep), or put rg in PATH"};
  }
  return {Level::warn, program.name, "not found", "install it, or put it in PATH"};
}

Findings check_hooks(const std::vector<HookFact>& hooks) {
  Findings findings;
  std::map<hooks::Event, int> counts;
  for (const HookFact& hook : hooks) {
    ++counts[hook.event];
    if (hook.missing.empty()) continue;
    findings.push_back({Level::fail, "hooks",
                        hook.origin + ": a hook of " + std::string(to_string(hook.event)) +
                            " needs " + hook.missing + ", which is not there",
                        "correct its command, or install what it needs"});
  }
  std::string what;
  for (const auto& [event, count] : counts) {
    what +=
        (what.empty() ? "" : ", ") + std::to_string(count) + " of " + std::string(to_string(event));
  }
  findings.insert(findings.begin(), {Level::ok, "hooks", what.empty() ? "none" : what});
  return findings;
}

Finding check_directory(const DirectoryFact& directory) {
  const bool needed = directory.purpose == "temporary";
  const std::string subject = directory.purpose + " dir";
  if (directory.path.empty()) {
    return {Level::warn, subject, "none: HOME is not set to an absolute path", "set HOME"};
  }
  if (directory.fault.empty()) return {Level::ok, subject, directory.path};
  return {needed ? Level::fail : Level::warn, subject, directory.path + ": " + directory.fault,
          needed ? "set TMPDIR to a directory you may write to" : "make it writable"};
}

Finding check_network(const NetworkFact& network) {
  if (network.readable) return {Level::ok, "network", network.variable + "=" + network.value};
  return {Level::fail, "network",
          network.variable + "=" + network.value + ", which cannot be read: no https will work",
          "correct or unset " + network.variable};
}

Findings check(const Facts& facts) {
  Findings findings = {{Level::ok, "agentd", facts.version + ", " + facts.binary}};
  append(findings, check_settings(facts.settings));
  append(findings, check_workspace(facts.workspace));
  findings.push_back(check_model(facts.model));
  findings.push_back(
      {Level::ok, "permissions",
       facts.mode.name +
           (facts.mode.origin.empty() ? " (the default)" : from_origin(facts.mode.origin))});
  for (const KeyFact& key : facts.keys) findings.push_back(check_key(key));
  for (const EndpointFact& endpoint : facts.endpoints) {
    findings.push_back(check_endpoint(endpoint, facts.model.name));
  }
  for (const ProgramFact& program : facts.programs) findings.push_back(check_program(program));
  append(findings, check_hooks(facts.hooks));
  for (const DirectoryFact& each : facts.directories) findings.push_back(check_directory(each));
  for (const NetworkFact& each : facts.network) findings.push_back(check_network(each));
  return findings;
}

}  // namespace agentd::server::doctor
