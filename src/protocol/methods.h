// The table of the protocol: every request and notification with its params, its result and one
// line of what it is for. The server binds from it, the generator writes protocol/ from it.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/agent.h"
#include "protocol/catalog.h"
#include "protocol/events.h"
#include "protocol/initialize.h"
#include "protocol/sessions.h"

namespace agentd::protocol {

enum class Direction { to_server, to_client };

template <class ParamsType, class ResultType>
struct Request {
  using Params = ParamsType;
  using Result = ResultType;  // std::nullptr_t: null
  std::string_view name;
  std::string_view doc;
  Direction direction = Direction::to_server;
  int since = 1;  // protocol version
};

template <class ParamsType>
struct Notification {
  using Params = ParamsType;
  std::string_view name;
  std::string_view doc;
  Direction direction = Direction::to_client;
  int since = 1;
};

inline constexpr Request<InitializeParams, InitializeResult> kInitialize{
    "initialize", "The first message: who the client is and what both sides can do."};
inline constexpr Notification<Empty> kInitialized{
    "initialized", "The client has read the answer to initialize. Not needed, welcome as in LSP.",
    Direction::to_server};
inline constexpr Request<Empty, std::nullptr_t> kShutdown{
    "shutdown",
    "Cancels every run and ends every session; answered after the last agent/runEnded and the "
    "SessionEnd hooks, which may take 5 s. Then send exit."};
inline constexpr Notification<Empty> kExit{
    "exit", "Ends the process: status 0 after shutdown, else 1.", Direction::to_server};
inline constexpr Notification<CancelRequestParams> kCancelRequest{
    "$/cancelRequest",
    "Gives up waiting for a request. It is still answered: with its result, or with -32800.",
    Direction::to_server};
inline constexpr Notification<SetTraceParams> kSetTrace{"$/setTrace", "As in LSP.",
                                                        Direction::to_server};

inline constexpr Request<StartParams, StartResult> kAgentStart{
    "agent/start",
    "Starts a run: one prompt, answered in as many turns as the work needs. On a session that had "
    "runs before its conversation goes on. One run at a time per session."};
inline constexpr Request<SendParams, SendResult> kAgentSend{
    "agent/send",
    "Says something to the model of a run that is going on. Answered when the run has taken it; "
    "error notDelivered if the run is over."};
inline constexpr Request<UnsendParams, Empty> kAgentUnsend{
    "agent/unsend",
    "Takes back a message of agent/send that the model was not told yet; error tooLate after "
    "that."};
inline constexpr Request<CancelParams, CancelResult> kAgentCancel{
    "agent/cancel",
    "Stops a run, its model call, its tools and their processes. Answered after the run's "
    "agent/runEnded; on a run that ended before, at once."};
inline constexpr Request<ApproveToolParams, Empty> kAgentApproveTool{
    "agent/approveTool", "Answers an agent/approvalRequested. The first answer counts."};
inline constexpr Request<AnswerQuestionParams, Empty> kAgentAnswerQuestion{
    "agent/answerQuestion",
    "Answers an agent/questionAsked, or rejects it. The first answer that fits counts."};
inline constexpr Request<SetModeParams, Empty> kAgentSetMode{
    "agent/setMode", "Changes the permission mode of a session, also while a run is going on."};

inline constexpr Request<CompactParams, StartResult> kAgentCompact{
    "agent/compact",
    "Sums a session's conversation up now, so that it takes less of the model's window. It is a "
    "run "
    "of its own: runStarted, compacting, compacted, runEnded."};
inline constexpr Request<SetModelParams, Empty> kAgentSetModel{
    "agent/setModel", "Changes the model of a session, also while a run is going on."};

inline constexpr Request<SessionListParams, SessionListResult> kSessionList{
    "session/list", "The stored sessions, page by page."};
inline constexpr Request<SessionParams, SessionLoadResult> kSessionLoad{
    "session/load",
    "Tells again what clients were told of a session, as notifications with `replay: true`, and is "
    "answered after the last of them. agent/start then goes on with the conversation."};
inline constexpr Request<SessionForkParams, SessionForkResult> kSessionFork{
    "session/fork",
    "Copies a session into a new one, which goes its own way; files are not touched."};
inline constexpr Request<SessionRewindParams, SessionRewindResult> kSessionRewind{
    "session/rewind",
    "Puts a session, the files that Write and Edit changed in it, or both, back to what they were. "
    "Nothing is done where a file was changed by somebody else since: see conflicts. Undone by "
    "session/undoRewind."};
inline constexpr Request<SessionParams, SessionRewindResult> kSessionUndoRewind{
    "session/undoRewind",
    "Takes the last session/rewind back, once; error conflict if the session has gone on since, "
    "notFound if there is none. No run may be going on in it."};
inline constexpr Request<SessionRenameParams, Empty> kSessionRename{"session/rename",
                                                                    "Gives a session a title."};
inline constexpr Request<SessionParams, Empty> kSessionDelete{
    "session/delete", "Deletes a session for good; no run may be going on in it. Its forks stay."};
inline constexpr Request<SessionExportParams, SessionExportResult> kSessionExport{
    "session/export",
    "A session as JSON Lines: what was said, what was done to it and what clients were told, in "
    "the "
    "order it came about."};

inline constexpr Request<Empty, ToolListResult> kToolList{"tool/list",
                                                          "The tools a run can offer its model."};
inline constexpr Request<Empty, ModelListResult> kModelList{"model/list",
                                                            "The models agentd knows."};

inline constexpr Notification<OfRun<RunStarted>> kRunStarted{
    "agent/runStarted", "The run began. Its first notification."};
inline constexpr Notification<OfRun<UserMessage>> kUserMessage{
    "agent/userMessage",
    "What the user said. Told by session/load alone: a live client has it already."};
inline constexpr Notification<OfRun<TurnStarted>> kTurnStarted{"agent/turnStarted",
                                                               "The model is asked."};
inline constexpr Notification<OfRun<TurnEnded>> kTurnEnded{
    "agent/turnEnded", "The reply is whole and its calls are settled."};
inline constexpr Notification<OfRun<TextDelta>> kTextDelta{"agent/textDelta",
                                                           "The model's answer, as it arrives."};
inline constexpr Notification<OfRun<ThinkingDelta>> kThinkingDelta{
    "agent/thinkingDelta", "The model's reasoning, as it arrives."};
inline constexpr Notification<OfRun<ToolUse>> kToolUse{
    "agent/toolUse", "A call on its way: started, its input arriving, ready, running."};
inline constexpr Notification<OfRun<ToolProgress>> kToolProgress{
    "agent/toolProgress", "What a running command writes, as it writes it."};
inline constexpr Notification<OfRun<ToolResult>> kToolResult{
    "agent/toolResult", "What became of a call. Exactly one for each call that was started."};
inline constexpr Notification<OfRun<ApprovalRequested>> kApprovalRequested{
    "agent/approvalRequested", "A call may only run if somebody allows it."};
inline constexpr Notification<OfRun<ApprovalResolved>> kApprovalResolved{
    "agent/approvalResolved", "The question is settled. Exactly one for each question."};
inline constexpr Notification<OfRun<QuestionAsked>> kQuestionAsked{
    "agent/questionAsked",
    "The model asks the user. Only to clients with the capability questions."};
inline constexpr Notification<OfRun<QuestionResolved>> kQuestionResolved{
    "agent/questionResolved", "The question is settled. Exactly one for each that was asked."};
inline constexpr Notification<OfRun<ReplyDiscarded>> kReplyDiscarded{
    "agent/replyDiscarded", "The reply so far is void; its calls are closed already."};
inline constexpr Notification<OfRun<Retrying>> kRetrying{
    "agent/retrying", "The model call failed and is tried again after a wait."};
inline constexpr Notification<OfRun<ModeChanged>> kModeChanged{
    "agent/modeChanged",
    "The session's permission mode is another one from here on: a plan was agreed to, or "
    "agent/setMode reached the run."};
inline constexpr Notification<OfRun<TodosChanged>> kTodo{
    "agent/todo",
    "The model's list of its own work has changed. It is the session's and outlives the run."};
inline constexpr Notification<OfRun<Attachment>> kAttachment{
    "agent/attachment", "Something else was added to what the model is told."};
inline constexpr Notification<OfRun<Compacting>> kCompacting{
    "agent/compacting", "The model is asked to sum the conversation up."};
inline constexpr Notification<OfRun<Compacted>> kCompacted{
    "agent/compacted",
    "The model sees a summary in place of the older messages from now on, or why it does not."};
inline constexpr Notification<OfRun<HookRan>> kHook{"agent/hook",
                                                    "A hook of the user's settings has run."};
inline constexpr Notification<OfRun<ToolSummary>> kToolSummary{
    "agent/toolSummary",
    "One line about what a reply's calls did, where toolSummaryModel names a model for it. Comes "
    "some time after their results, or never: nothing waits for it."};
inline constexpr Notification<SessionHookRan> kSessionHook{
    "agent/sessionHook",
    "A SessionEnd hook has run: agentd leaves, and the session with it. The only notification that "
    "is of no run."};
inline constexpr Notification<OfRun<Notice>> kNotice{
    "agent/notice", "Something a person should know that changes nothing for programs."};
inline constexpr Notification<OfRun<RunEnded>> kRunEnded{
    "agent/runEnded", "The run ended. Its last notification; exactly one for each run."};

/// Calls `visit` with every entry, in the order they are documented.
template <class Visitor>
constexpr void each_method(Visitor&& visit) {
  const auto all = [&visit](const auto&... methods) { (visit(methods), ...); };
  all(kInitialize, kInitialized, kShutdown, kExit, kCancelRequest, kSetTrace);
  all(kAgentStart, kAgentSend, kAgentUnsend, kAgentCancel, kAgentApproveTool, kAgentAnswerQuestion,
      kAgentSetMode, kAgentSetModel, kAgentCompact);
  all(kSessionList, kSessionLoad, kSessionFork, kSessionRewind, kSessionUndoRewind, kSessionRename,
      kSessionDelete, kSessionExport);
  all(kToolList, kModelList);
  all(kRunStarted, kUserMessage, kTurnStarted, kTextDelta, kThinkingDelta, kToolUse,
      kApprovalRequested, kApprovalResolved, kQuestionAsked, kQuestionResolved, kToolProgress,
      kToolResult, kReplyDiscarded, kRetrying, kModeChanged, kTodo, kAttachment, kCompacting,
      kCompacted, kHook, kToolSummary, kNotice, kTurnEnded, kRunEnded, kSessionHook);
}

}  // namespace agentd::protocol
