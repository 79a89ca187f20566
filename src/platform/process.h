// Process: starts one program. posix_spawn cannot set the parent-death signal, so the child part
// is our own, in the manner of vfork: it shares our memory, on a stack of its own, until exec.
// io thread only: the parent-death signal follows the thread that spawned, not the process.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/links.h"

namespace agentd::platform {

struct ProgramStart {
  std::vector<std::string> argv;         // argv[0] is looked up in `search_path` if it has no slash
  std::vector<std::string> environment;  // "NAME=value", the whole of it
  std::string search_path;               // the PATH to look in
  std::string cwd;                       // absolute
  Links cwd_links = Links::follow;
  std::array<int, 3> stdio{-1, -1, -1};  // become 0, 1, 2; all above 2 here; stay open here
};

/// Starts it in a session of its own, with default signals, nothing blocked, no other descriptor
/// of ours, killed when the calling thread ends. Returns its pid once the program has been
/// executed: an unknown program or directory is an Error here, not an exit code.
Result<int> start_program(const ProgramStart& start);

}  // namespace agentd::platform
