// The closed sets of the protocol. server/ maps them to the engine's own enums; names are only
// ever added.
#pragma once

#include "wire/description.h"

namespace agentd::protocol {

enum class PermissionMode { ask, accept_edits, plan, bypass };

constexpr auto wire_names(PermissionMode) {
  using enum PermissionMode;
  return wire::names<PermissionMode>(
      "PermissionMode",
      {{ask, "ask", "Reading inside the workspace is free, everything else asks. The default."},
       {accept_edits, "acceptEdits", "Writing inside the workspace is free too."},
       {plan, "plan", "Nothing that changes anything; commands are denied."},
       {bypass, "bypass", "Nothing asks."}});
}

enum class ToolStart { streaming, after_reply };

constexpr auto wire_names(ToolStart) {
  using enum ToolStart;
  return wire::names<ToolStart>(
      "ToolStart",
      {{streaming, "streaming", "A call may start while the reply still arrives. The default."},
       {after_reply, "afterReply", "Calls wait for the positive end of the reply."}});
}

enum class ToolChoiceType { automatic, any, none, tool };

constexpr auto wire_names(ToolChoiceType) {
  using enum ToolChoiceType;
  return wire::names<ToolChoiceType>(
      "ToolChoiceType", {{automatic, "auto", "As the model sees fit. The default."},
                         {any, "any", "Its first reply must call a tool, whichever."},
                         {none, "none", "It must call none."},
                         {tool, "tool", "Its first reply must call the one that is named."}});
}

enum class Delivery { steer, queue };

constexpr auto wire_names(Delivery) {
  using enum Delivery;
  return wire::names<Delivery>(
      "Delivery",
      {{steer, "steer", "With the next turn, behind the results of calls. The default."},
       {queue, "queue", "When the run would end: it goes on with this instead."}});
}

enum class HookOutcome { success, blocked, broken, cancelled };

constexpr auto wire_names(HookOutcome) {
  using enum HookOutcome;
  return wire::names<HookOutcome>(
      "HookOutcome",
      {{success, "success", "It had no objection."},
       {blocked, "blocked", "It objects; what that means depends on its event."},
       {broken, "broken",
        "Missing, crashed, timed out, or said nothing that makes sense: it decides nothing."},
       {cancelled, "cancelled", "Killed with the run; it decides nothing."}});
}

enum class CompactionTrigger { automatic, window_exceeded, manual };

constexpr auto wire_names(CompactionTrigger) {
  using enum CompactionTrigger;
  return wire::names<CompactionTrigger>(
      "CompactionTrigger",
      {{automatic, "automatic", "The window is nearly full."},
       {window_exceeded, "windowExceeded", "The last request or reply did not fit it."},
       {manual, "manual", "agent/compact."}});
}

enum class AttachmentKind { message, memory, changed_file, recent_file, todo };

constexpr auto wire_names(AttachmentKind) {
  using enum AttachmentKind;
  return wire::names<AttachmentKind>(
      "AttachmentKind",
      {{message, "message", "A message of agent/send."},
       {memory, "memory", "A file that the user or the project wants every session to know."},
       {changed_file, "changedFile",
        "A file that changed on disk since it was read, with its diff."},
       {recent_file, "recentFile", "A file that was read lately, put back after a compaction."},
       {todo, "todo",
        "The todo list, which the model has not touched for long or a compaction took away."}});
}

enum class TodoStatus { pending, in_progress, completed };

constexpr auto wire_names(TodoStatus) {
  using enum TodoStatus;
  return wire::names<TodoStatus>(
      "TodoStatus", {{pending, "pending"}, {in_progress, "in_progress"}, {completed, "completed"}});
}

enum class RewindScope { conversation, files, both };

constexpr auto wire_names(RewindScope) {
  using enum RewindScope;
  return wire::names<RewindScope>(
      "RewindScope",
      {{conversation, "conversation", "What was said; files stay as they are."},
       {files, "files", "What Write and Edit changed in files; the conversation stays as it is."},
       {both, "both", "Both."}});
}

enum class OnDeny { go_on, stop };

constexpr auto wire_names(OnDeny) {
  using enum OnDeny;
  return wire::names<OnDeny>(
      "OnDeny",
      {{go_on, "continue", "The model is told and the run goes on. The default."},
       {stop, "stop",
        "A deny by a person without a message ends the run; with one it goes on. A denial "
        "by the mode, or where nobody can answer, never ends it."}});
}

enum class ApprovalDecision { allow, deny };

constexpr auto wire_names(ApprovalDecision) {
  using enum ApprovalDecision;
  return wire::names<ApprovalDecision>("ApprovalDecision",
                                       {{allow, "allow", "The call runs."},
                                        {deny, "deny", "It does not, and the model is told so."}});
}

enum class ApprovalScope { once, session };

constexpr auto wire_names(ApprovalScope) {
  using enum ApprovalScope;
  return wire::names<ApprovalScope>(
      "ApprovalScope",
      {{once, "once", "For this call only. The default."},
       {session, "session",
        "Also for later calls of this session with the same command text or on the same file; "
        "open questions that it covers are settled too."}});
}

enum class ApprovalBy { user, grant, mode, no_approver, cancelled };

constexpr auto wire_names(ApprovalBy) {
  using enum ApprovalBy;
  return wire::names<ApprovalBy>(
      "ApprovalBy",
      {{user, "user", "An agent/approveTool."},
       {grant, "grant", "An earlier answer with scope session."},
       {mode, "mode", "The permission mode was changed."},
       {no_approver, "noApprover", "Nobody can be asked (approvals: false, or input ended)."},
       {cancelled, "cancelled", "The run was cancelled, or the call was given up."}});
}

enum class QuestionBy { user, no_approver, cancelled };

constexpr auto wire_names(QuestionBy) {
  using enum QuestionBy;
  return wire::names<QuestionBy>(
      "QuestionBy", {{user, "user", "An agent/answerQuestion, answers or a rejection."},
                     {no_approver, "noApprover", "Nobody can be asked any more (input ended)."},
                     {cancelled, "cancelled", "The run was cancelled, or the call was given up."}});
}

enum class ToolUseState { started, input_delta, ready, running };

constexpr auto wire_names(ToolUseState) {
  using enum ToolUseState;
  return wire::names<ToolUseState>(
      "ToolUseState",
      {{started, "started", "The model began the call; its input is still to come."},
       {input_delta, "inputDelta", "A piece of the input's JSON text."},
       {ready, "ready", "The input is complete, one JSON object."},
       {running, "running", "The tool is at work."}});
}

enum class ToolStatus { completed, failed, denied, cancelled };

constexpr auto wire_names(ToolStatus) {
  using enum ToolStatus;
  return wire::names<ToolStatus>("ToolStatus",
                                 {{completed, "completed", "It ran to its end."},
                                  {failed, "failed", "It ran and failed, or could not run at all."},
                                  {denied, "denied", "It was not allowed and did not run."},
                                  {cancelled, "cancelled", "It was stopped, or never started."}});
}

enum class OutputStream { standard_output, standard_error };

constexpr auto wire_names(OutputStream) {
  using enum OutputStream;
  return wire::names<OutputStream>("OutputStream",
                                   {{standard_output, "stdout"}, {standard_error, "stderr"}});
}

enum class NoticeLevel { info, warning, error };

constexpr auto wire_names(NoticeLevel) {
  using enum NoticeLevel;
  return wire::names<NoticeLevel>("NoticeLevel",
                                  {{info, "info"}, {warning, "warning"}, {error, "error"}});
}

enum class Transition {
  next_turn,
  output_limit_raised,
  output_resumed,
  reply_cut,
  turn_paused,
  nudged,
  compacted,
  request_repaired,
  fallback_model,
  message_queued,
  stop_hook_blocked,
  budget_continued,
};

constexpr auto wire_names(Transition) {
  using enum Transition;
  return wire::names<Transition>(
      "Transition",
      {{next_turn, "next_turn", "Calls were settled and their results go back."},
       {output_limit_raised, "output_limit_raised",
        "The reply was cut by its limit: asked again with a higher one."},
       {output_resumed, "output_resumed", "Cut again: asked to go on where it stopped."},
       {reply_cut, "reply_cut", "The stream broke after a call had started: goes on from there."},
       {turn_paused, "turn_paused", "The endpoint paused the turn; it is sent back to go on."},
       {nudged, "nudged", "The reply was empty; the model is asked once to go on."},
       {compacted, "compacted",
        "The conversation did not fit the model's window: it is summed up first."},
       {request_repaired, "request_repaired",
        "The endpoint refused images, thinking or the output limit: asked again without them. An "
        "agent/notice (image_refused, thinking_refused, output_limit_refused) says what was taken "
        "out."},
       {fallback_model, "fallback_model",
        "The model could not be had: the next one of fallbackModels answers from here on, or the "
        "one of an agent/setModel that came meanwhile."},
       {message_queued, "message_queued", "A message of agent/send goes to the model."},
       {stop_hook_blocked, "stop_hook_blocked", "A Stop hook objects to the end."},
       {budget_continued, "budget_continued",
        "The tokenBudget is not spent: the model is asked to go on."}});
}

enum class Ending {
  completed,
  aborted_streaming,
  aborted_tools,
  blocked,
  hook_stopped,
  stop_hook_prevented,
  repeated_calls,
  max_turns,
  max_budget,
  output_limit,
  prompt_too_long,
  blocking_limit,
  image_error,
  refused,
  model_error,
  internal_error,
};

constexpr auto wire_names(Ending) {
  using enum Ending;
  return wire::names<Ending>(
      "Ending",
      {{completed, "completed", "The model had nothing left to do."},
       {aborted_streaming, "aborted_streaming", "Cancelled while no call was open."},
       {aborted_tools, "aborted_tools", "Cancelled while a call was open."},
       {blocked, "blocked", "A person denied a call, and onDeny is stop."},
       {hook_stopped, "hook_stopped", "A hook said that the run must not go on."},
       {stop_hook_prevented, "stop_hook_prevented", "A Stop hook said so, whatever else waited."},
       {repeated_calls, "repeated_calls",
        "The model made the same calls again and again, and nobody could be asked."},
       {max_turns, "max_turns", "maxTurns model calls were made and there was more to do."},
       {max_budget, "max_budget", "maxBudgetUsd is spent and there was more to do."},
       {output_limit, "output_limit", "The reply was cut by its limit, however often resumed."},
       {prompt_too_long, "prompt_too_long", "The conversation does not fit the model's window."},
       {blocking_limit, "blocking_limit",
        "The model's window is full, and compaction is off or got nowhere."},
       {image_error, "image_error",
        "The endpoint refuses an image, and taking images out did not help."},
       {refused, "refused", "The model declined."},
       {model_error, "model_error", "The model could not be reached or gave no usable reply."},
       {internal_error, "internal_error", "A fault of agentd."}});
}

enum class Outcome { success, stopped, error };

constexpr auto wire_names(Outcome) {
  using enum Outcome;
  return wire::names<Outcome>(
      "Outcome", {{success, "success", "The work is done."},
                  {stopped, "stopped", "Somebody, or a limit somebody set, stopped it."},
                  {error, "error", "It could not be done."}});
}

enum class Trace { off, messages, verbose };

constexpr auto wire_names(Trace) {
  using enum Trace;
  return wire::names<Trace>("Trace", {{off, "off"}, {messages, "messages"}, {verbose, "verbose"}});
}

}  // namespace agentd::protocol
