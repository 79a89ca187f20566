// Surroundings: the facts about where a session works that the model is told once, at the top of
// the first user message: date (frozen at session start), directory, operating system, git. Not in
// the system prompt, which stays the same bytes for everybody.
#pragma once

#include <chrono>
#include <string>

#include "platform/files.h"

namespace agentd::context {

struct Surroundings {
  std::string date;  // 2026-11-29, local time
  std::string cwd;
  std::string operating_system;  // "Linux 6.1.0"
  std::string git_branch;        // empty: not a git work tree, or a detached head
  std::string git_root;  // the work tree's directory, at or above cwd; empty: not a work tree
  bool in_git = false;
};

/// Looks around. Reads a few small files: not on a thread that must not wait.
Surroundings look_around(const std::string& cwd, std::chrono::system_clock::time_point now,
                         platform::Files& files);

/// As the model reads it.
std::string describe(const Surroundings& surroundings);

}  // namespace agentd::context
