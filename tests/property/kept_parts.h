// What is stored of a run for its clients, held against what they were told while it went on, and
// against the promise that all of it is closed. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/event.h"
#include "session/store.h"

namespace agentd::test {

/// What tells an event and the part that was made of it from others: the method, the call or block
/// it is about, the state. Pieces of one text are one part, some events none.
void add_key(std::vector<std::string>& keys, const agent::Event& event);
std::string key_of(const session::Part& part);

/// Each broken promise in words: numbers that rise, runs, turns, calls and questions that end.
std::vector<std::string> broken_promises(const std::vector<session::Part>& parts);

/// The parts of `run` are those of the events with the keys `told`, then, if it was `killed`, what
/// closes it: the differences in words.
std::vector<std::string> lost_parts(const std::vector<session::Part>& parts, const std::string& run,
                                    std::vector<std::string> told, bool killed);

}  // namespace agentd::test
