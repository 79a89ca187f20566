// Recorded sessions of a coding agent as messages of ours: what was said, called and answered over
// hundreds of turns, aborted ones and all. Read in place, see recordings.h.
#pragma once

#include <string>
#include <vector>

#include "message/message.h"

namespace agentd::test {

/// The messages of agent-sessions/NAME.*.jsonl.gz, in order, as they were: calls of aborted turns
/// have no results. Throws if they cannot be read.
std::vector<Message> recorded_session(const std::string& name);

}  // namespace agentd::test
