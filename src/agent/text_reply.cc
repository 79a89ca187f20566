#include "agent/text_reply.h"

namespace agentd::agent {
namespace {

// Far more than the longest summary; what streams without end is cut here.
constexpr std::size_t kMostBytes = 512 * 1024;

}  // namespace

void TextReply::take(const model::ModelEvents& events) {
  for (const auto& event : events) {
    if (ended) return;
    if (const auto* delta = std::get_if<model::Delta>(&event)) {
      if (delta->kind == model::DeltaKind::text) text += delta->text;
      thought_bytes += delta->kind == model::DeltaKind::text ? 0 : delta->text.size();
      if (text.size() + thought_bytes > kMostBytes) {
        stop = model::StopTold{model::StopReason::max_tokens, "max_tokens"};
        ended = true;
      }
    } else if (const auto* told = std::get_if<model::UsageTold>(&event)) {
      usage.overwrite(told->usage);
    } else if (const auto* told_stop = std::get_if<model::StopTold>(&event)) {
      stop = *told_stop;
    } else if (const auto* failed = std::get_if<model::Failed>(&event)) {
      failure = failed->failure;
      ended = true;
    } else if (std::holds_alternative<model::MessageEnded>(event)) {
      ended = true;
    }
  }
}

}  // namespace agentd::agent
