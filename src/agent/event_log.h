// What a run does, as lines of the log: its turns, attempts, calls and end, never what is said in
// them. One function, called by the loop for each event before it goes out. Run's thread.
#pragma once

#include <string>

#include "agent/event.h"

namespace agentd::agent {

void log_event(const std::string& run_id, const Event& event);

}  // namespace agentd::agent
