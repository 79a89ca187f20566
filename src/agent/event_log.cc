#include "agent/event_log.h"

#include "base/log.h"

namespace agentd::agent {
namespace {

std::string tokens(const Usage& usage) {
  return std::to_string(usage.input_tokens.value_or(0)) + " + " +
         std::to_string(usage.cache_read_input_tokens.value_or(0)) + " cached in, " +
         std::to_string(usage.output_tokens.value_or(0)) + " out";
}

std::string_view status_name(ToolStatus status) {
  switch (status) {
    case ToolStatus::completed:
      return "completed";
    case ToolStatus::failed:
      return "failed";
    case ToolStatus::denied:
      return "denied";
    case ToolStatus::cancelled:
      return "cancelled";
  }
  return "";
}

/// Empty: not worth a line.
struct Line {
  std::string operator()(const RunStarted& event) const { return "started, model " + event.model; }
  std::string operator()(const TurnStarted& event) const {
    return "turn " + std::to_string(event.turn) +
           (event.transition ? " (" + std::string(to_string(*event.transition)) + ")" : "");
  }
  std::string operator()(const TurnEnded& event) const {
    return "turn " + std::to_string(event.turn) + " ended, stop " + event.stop_reason +
           ", tokens " + tokens(event.usage);
  }
  std::string operator()(const ToolUse& event) const {
    if (event.state != ToolUseState::running) return {};
    return event.name + " " + event.tool_use_id + " runs";
  }
  std::string operator()(const ToolResult& event) const {
    return event.name + " " + event.tool_use_id + " " + std::string(status_name(event.status));
  }
  std::string operator()(const ApprovalRequested& event) const {
    return event.name + " " + event.tool_use_id + " asks";
  }
  std::string operator()(const ApprovalResolved& event) const {
    const bool allowed = event.decision == ApprovalDecision::allow;
    return event.tool_use_id + (allowed ? " is allowed" : " is not allowed");
  }
  std::string operator()(const QuestionAsked& event) const {
    return event.tool_use_id + " asks the user";
  }
  std::string operator()(const QuestionResolved& event) const {
    return event.tool_use_id + (event.by == QuestionBy::user ? " has its answer" : " has none");
  }
  std::string operator()(const ReplyDiscarded&) const { return "the reply is discarded"; }
  std::string operator()(const Retrying& event) const {
    return "attempt " + std::to_string(event.attempt) + " of " +
           std::to_string(event.max_attempts) + " in " + std::to_string(event.delay.count()) +
           " ms: " + event.reason;
  }
  std::string operator()(const Notice& event) const { return "notice " + event.code; }
  std::string operator()(const ModeChanged& event) const {
    return "permission mode " + std::string(to_string(event.mode));
  }
  std::string operator()(const TodosChanged& event) const {
    return std::to_string(event.todos.size()) + " todos";
  }
  std::string operator()(const Attachment& event) const { return "told " + event.title; }
  std::string operator()(const Compacting& event) const {
    return "compacting " + std::to_string(event.tokens) + " tokens";
  }
  std::string operator()(const Compacted& event) const {
    if (!event.fault.empty()) return "not compacted: " + event.fault;
    return "compacted to " + std::to_string(event.tokens_after) + " tokens";
  }
  std::string operator()(const ToolSummary& event) const {
    return "summary of " + std::to_string(event.tool_use_ids.size()) + " calls";
  }
  std::string operator()(const HookRan& event) const {
    const auto& record = event.record;
    return "hook " + std::string(hooks::to_string(record.event)) + " of " + record.origin + ", " +
           std::to_string(record.duration.count()) + " ms";
  }
  std::string operator()(const RunEnded& event) const {
    return "ended: " + std::string(to_string(event.ending)) +
           (event.message.empty() ? "" : ": " + event.message);
  }
  std::string operator()(const TextDelta&) const { return {}; }
  std::string operator()(const ThinkingDelta&) const { return {}; }
  std::string operator()(const ToolProgress&) const { return {}; }
};

}  // namespace

void log_event(const std::string& run_id, const Event& event) {
  if (!log::enabled(log::Level::info)) return;
  const std::string line = std::visit(Line{}, event);
  if (!line.empty()) log::info(run_id + ": " + line);
}

}  // namespace agentd::agent
