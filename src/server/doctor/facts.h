// Facts: what `agentd doctor` found out about the machine, the settings and the endpoints. probe.h
// collects them, checks.h judges them. Values; no key stands in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "hooks/event.h"

namespace agentd::server::doctor {

/// How an endpoint took a request for its list of models.
enum class Answer {
  not_asked,   // --offline
  unusable,    // its settings are wrong; `detail` says how
  answered,    // with a list of models
  no_list,     // 404 or 405: no such list there
  refused,     // 401 or 403
  not_an_api,  // well, but with something that is no list: a page, a redirect
  failing,     // any other status
  silent,      // nothing in time
  no_contact,  // no connection; `detail` says why
};

struct EndpointFact {
  std::string name;           // `anthropic`, `ollama`, `gate`
  std::string base_url;       // without a name and password before the host
  std::string base_url_from;  // the setting
  std::string key_from;       // the variable, or the setting; empty: none is wanted
  bool answers_runs = false;  // the model that would be used is one of its
  bool optional = false;      // nobody configured it: Ollama at its usual place
  Answer answer = Answer::not_asked;
  int status = 0;                   // of HTTP
  std::string detail;               // the fault, or what the endpoint said
  std::vector<std::string> models;  // as it lists them, some at least
};

struct SettingsFact {
  std::vector<std::string> files;  // those there are, in the order in which they count
  std::vector<config::SettingsNotice> notices;
};

struct ModelFact {
  std::string name;
  std::string origin;  // a file, a variable, `--model`; empty: nobody named one
  std::string fault;   // why it cannot answer; empty: it can
};

struct ModeFact {
  std::string name;
  std::string origin;  // empty: the default
};

struct WorkspaceFact {
  std::string path;
  std::string fault;  // why no run can begin there; empty: one can
  bool trusted = false;
  std::string trust_fault;        // of the list of trusted directories
  std::size_t ignored_hooks = 0;  // because it is not trusted
};

struct KeyFact {
  std::string variable;  // or the setting it stands in
  bool set = false;
  bool wanted = false;  // by a provider in the user's settings
};

struct ProgramFact {
  std::string name;                    // `rg`
  std::optional<std::string> version;  // its first line; absent: it could not be started
};

struct HookFact {
  hooks::Event event = hooks::Event::stop;
  std::string origin;
  std::string missing;  // the program or script it needs and does not find; empty: nothing
};

struct DirectoryFact {
  std::string purpose;  // `config`, `data`, `temporary`
  std::string path;     // empty: there is none
  std::string fault;    // why nothing can be written there; empty: it can
};

struct NetworkFact {
  std::string variable;  // https_proxy, SSL_CERT_FILE, ...
  std::string value;     // without name and password
  bool is_file = false;
  bool readable = true;  // of a file or directory
};

struct Facts {
  std::string version;
  std::string binary;
  SettingsFact settings;
  ModelFact model;
  ModeFact mode;
  WorkspaceFact workspace;
  std::vector<KeyFact> keys;
  std::vector<EndpointFact> endpoints;
  std::vector<ProgramFact> programs;
  std::vector<HookFact> hooks;
  std::vector<DirectoryFact> directories;
  std::vector<NetworkFact> network;
};

}  // namespace agentd::server::doctor
