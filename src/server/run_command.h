// `agentd run`: one run from a shell. The same engine and the same agent::Run as behind the
// protocol, with a sink of its own. The main thread prints and asks; the run has its thread.
#pragma once

#include <optional>
#include <string>

#include "permission/permission.h"

namespace agentd::server {

struct RunCommandOptions {
  std::string prompt;  // empty: all of it comes from standard input
  std::optional<std::string> model;
  std::optional<permission::Mode> mode;
  std::optional<int> max_turns;
  std::optional<double> max_budget_usd;
  std::optional<std::vector<std::string>> fallback_models;
  std::optional<std::string> tools;  // names, separated by commas; absent: all
  std::string cwd;                   // empty: where we are
  bool json = false;                 // print the notifications, one per line
  bool store_sessions = true;
  bool go_on = false;      // with the last session of this directory
  std::string session_id;  // go on with this one; empty: a new one
  bool fork = false;       // go on with a copy, and leave the session as it is
  int input = 0;
  int output = 1;
};

/// Returns the exit code (exit_code.h).
int run_command(const RunCommandOptions& options);

}  // namespace agentd::server
