// What keeping sessions costs, and how fast many and long ones are found again.
#pragma once

#include "bench/subject.h"

namespace agentd::bench {

/// Turns with one Read each, in ms: what each costs more when it is stored.
struct StoredTurns {
  double more = 0;      // of the medians
  double more_p95 = 0;  // 95 % of the stored ones, over the median of the others
};
StoredTurns stored_turns(Rig& rig);

double stored_command(Rig& rig);  // ms more for a turn with Bash `true`, which waits for the disk
double stored_start(Rig& rig);    // ms more from agent/start to the request
double open_long_session(Rig& rig);  // ms, a session of 10 000 messages is at hand in a new process
double list_sessions(Rig& rig);      // ms, session/list where 10 000 are stored

}  // namespace agentd::bench
