// From a script and a request to the batches of events that are played, one after the other. Pure.
#pragma once

#include <chrono>
#include <vector>

#include "model/placeholders.h"
#include "model/script.h"

namespace agentd::model {

struct ScriptStep {
  std::chrono::milliseconds delay{0};  // before it
  ModelEvents events;
};

/// The steps of the first reply that fits; if none does, a failure that says so. The last step
/// ends with MessageEnded or Failed.
std::vector<ScriptStep> steps_for(const Script& script, const ModelRequest& request);

}  // namespace agentd::model
