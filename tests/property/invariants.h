// What must hold for every run, whatever the model, the user and the network do: the promises of
// order and closure over its events, and the rules of a valid history over its requests.
#pragma once

#include <string>
#include <vector>

#include "agent/event.h"
#include "model/provider.h"

namespace agentd::test {

/// Each broken promise in words; empty if all hold.
std::vector<std::string> broken_promises(const std::vector<agent::Event>& events, int max_turns);

/// Each broken rule of a history that would be sent; empty if all hold.
std::vector<std::string> broken_rules(const std::vector<MessagePtr>& messages);

}  // namespace agentd::test
