// `agentd sessions`: what is stored, from a shell: lists sessions, deletes or prints one. It reads
// the store on the main thread and starts nothing.
#pragma once

#include <string>

namespace agentd::server {

struct SessionsOptions {
  std::string cwd;     // whose sessions; empty: those of the current directory
  bool all = false;    // of every directory
  std::string search;  // words of the title; empty: any
  int limit = 50;
  bool json = false;     // one JSON object a line
  std::string exported;  // this session as JSON Lines, instead
  std::string deleted;   // this session is deleted, instead
};

/// Returns the exit code (exit_code.h).
int sessions_command(const SessionsOptions& options);

}  // namespace agentd::server
