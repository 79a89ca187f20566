#include "model/event.h"

#include <utility>

namespace agentd::model {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::end_turn:
      return "end_turn";
    case StopReason::tool_use:
      return "tool_use";
    case StopReason::max_tokens:
      return "max_tokens";
    case StopReason::stop_sequence:
      return "stop_sequence";
    case StopReason::pause_turn:
      return "pause_turn";
    case StopReason::refusal:
      return "refusal";
    case StopReason::context_window_exceeded:
      return "context_window_exceeded";
    case StopReason::timeout:
      return "timeout";
    case StopReason::unknown:
      return "unknown";
  }
  return "unknown";
}

void append_delta(ModelEvents& events, Delta delta) {
  if (!events.empty()) {
    // There is nobody who could have seen the first alone.
    auto* last = std::get_if<Delta>(&events.back());
    if (last != nullptr && last->block == delta.block && last->kind == delta.kind) {
      last->text.append(delta.text);
      return;
    }
  }
  events.push_back(std::move(delta));
}

}  // namespace agentd::model
