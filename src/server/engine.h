// Engine: what every run works with, whoever asked for it: io, files, tools, models, settings.
// Owned by the server or by `agentd run`; opened piece by piece, so that a client that only says
// initialize waits for nothing it does not need. The owner's thread only; services() may be used
// by runs, which end before the engine does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/run.h"
#include "base/ids.h"
#include "config/settings.h"
#include "model/models.h"
#include "platform/files.h"
#include "platform/http.h"
#include "platform/io.h"
#include "tools/registry.h"

namespace agentd::server {

/// What a request says about a run; what it leaves open comes from the session and the settings.
struct RunWishes {
  std::optional<std::string> model;
  std::optional<permission::Mode> mode;
  std::optional<int> max_turns;
  std::optional<agent::ToolStart> tool_start;
  std::optional<std::string> system_prompt;
  std::optional<std::vector<std::string>> tools;
  bool questions = false;  // somebody answers those of the model
  ToolChoice tool_choice;
  std::optional<std::string> tool_summary_model;
  std::optional<std::vector<std::string>> fallback_models;
  std::optional<double> max_budget_usd;
};

class Engine {
 public:
  Engine();
  ~Engine();

  platform::Io& io() { return io_; }
  platform::Files& files() { return *files_; }
  Ids& ids() { return ids_; }
  const tools::Registry& tools();
  model::Models& models();
  agent::Services services();

  /// A conversation in `directory` (absolute; it must exist), with that workspace's settings.
  struct Beginning {
    agent::Conversation conversation;
    config::LoadedSettings settings;
    std::shared_ptr<const hooks::HookSet> hooks;
    context::MemoryPlaces memory_places;
  };
  /// `trusted`: as the request says; absent, as the user's list of trusted directories has it.
  Result<Beginning> begin(const std::string& directory, std::optional<bool> trusted = {});

  /// What answers in a new session of this directory when a request names no model: `flag` (of the
  /// command line), else that of the settings, else Anthropic if it has a key, else `demo`.
  std::string default_model(const std::optional<std::string>& flag);

  /// Fills in model, limits and policies; ids and prompt are the caller's. Tells in `notices` what
  /// a person should know of the choice. An error's `where` names the wish at fault: `model`,
  /// `fallbackModels`, `maxBudgetUsd`, `tools`, `toolChoice`,
  /// `toolSummaryModel`.
  Result<agent::RunOptions> options(const RunWishes& wishes, const config::Settings& settings,
                                    std::vector<agent::Notice>& notices);

 private:
  void read_what_needs_trust(const std::string& directory, std::optional<bool> trusted,
                             Beginning& beginning);

  platform::Io io_;
  std::unique_ptr<platform::Files> files_;
  RandomIds ids_;
  std::optional<tools::Registry> tools_;
  std::unique_ptr<platform::Http> http_;
  std::unique_ptr<model::Models> models_;
};

/// The directory agentd was started in; empty if it is gone.
std::string current_directory();

/// Settings notices as a run tells them.
std::vector<agent::Notice> to_notices(const std::vector<config::SettingsNotice>& notices);

}  // namespace agentd::server
