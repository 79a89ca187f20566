// TextReply: a model's answer where only its words matter: a summary of the conversation, a line
// about a batch of calls. Nothing of it is shown as it comes, and calls in it are not due. Values
// of the run's thread.
#pragma once

#include <optional>
#include <string>

#include "context/summary.h"
#include "model/event.h"

namespace agentd::agent {

struct TextReply {
  void take(const model::ModelEvents& events);

  std::string text;
  std::size_t thought_bytes = 0;  // that were not kept
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
