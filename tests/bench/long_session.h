// Figures of a process that goes on for long: the cost of a turn on top of a session as large as
// the recorded ones, and what ten thousand calls with large outputs leave behind.
#pragma once

#include <cstddef>
#include <string>

#include "bench/subject.h"

namespace agentd::bench {

/// False where the recordings are not at hand.
bool has_recorded_sessions();

/// ms, end of a reply with one Read -> next request, over the last 50 turns of the recorded session
/// `name`: each of its calls is a Read of a file as large as the output was.
double recorded_turns(Rig& rig, const std::string& name);

/// What `calls` commands that print a megabyte each leave in one process. The model tells true
/// numbers of tokens, so that the conversation is cleared and compacted on the way.
struct ManyCalls {
  double kept_per_call = 0;  // KB resident, gained after the first tenth
  double gained = 0;         // open files and threads, after the first tenth
  double idle_cpu = 0;       // ms of CPU a second, afterwards
};
ManyCalls many_calls(Rig& rig, std::size_t calls);

}  // namespace agentd::bench
