// SummaryReply: the model's answer to the request for a summary of the conversation: its text and
// how it ended. Nothing of it is shown, and calls in it are not due. A value of the run's thread.
#pragma once

#include <optional>
#include <string>

#include "model/event.h"

namespace agentd::agent {

struct SummaryReply {
  void take(const model::ModelEvents& events);

  std::string text;
  Usage usage;
  std::optional<model::StopTold> stop;
  std::optional<model::ModelFailure> failure;
  bool ended = false;
};

}  // namespace agentd::agent
