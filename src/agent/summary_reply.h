// SummaryReply: the model's answer to the request for a summary of the conversation: its text and
// how it ended. Nothing of it is shown, and calls in it are not due. Values of the run's thread.
#pragma once

#include <optional>
#include <string>

#include "context/summary.h"
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

/// What was tried so far to get a summary.
struct SummaryTries {
  context::SummaryRequest request;  // the next one
  int drops = 0;                    // times that the oldest rounds were left out
  std::string cut;                  // the longest that its output limit cut
};

}  // namespace agentd::agent
