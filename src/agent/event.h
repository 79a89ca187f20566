// agent::Event: all that a run tells the outside, as values; server/ turns them into
// notifications. Emitted by the run's thread only, in this order:
//
//   RunStarted, HookRan*, then per turn (Compacting Retrying* Compacted)?, TurnStarted,
//   Attachment*, deltas and ToolUse*, Retrying / ReplyDiscarded, ApprovalRequested ->
//   ApprovalResolved, QuestionAsked -> QuestionResolved -> ToolUse(running) -> ToolProgress* ->
//   ToolResult, TurnEnded; at last RunEnded and nothing after it. HookRan stands where its hook
//   ran, ToolSummary where it came.
//
// Closure: every ToolUse(started) has its ToolResult, every ApprovalRequested its ApprovalResolved,
// every QuestionAsked its QuestionResolved.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/decide.h"
#include "agent/waiting_messages.h"
#include "hooks/runner.h"
#include "message/message.h"
#include "message/question.h"
#include "message/todo.h"
#include "model/event.h"
#include "permission/permission.h"
#include "platform/commands.h"

namespace agentd::agent {

struct RunStarted {
  std::string model;
};

struct TurnStarted {
  int turn = 1;
  std::optional<Transition> transition;  // absent on turn 1
  std::optional<std::string> model;      // answers from here on, where it is another one
};

struct TurnEnded {
  int turn = 1;
  std::string stop_reason;  // the endpoint's own word; empty if none came
  Usage usage;
};

struct TextDelta {
  std::string block_id;
  std::string text;
};

struct ThinkingDelta {
  std::string block_id;
  std::string text;
};

/// States of a call as clients see them.
enum class ToolUseState { started, input_delta, ready, running };

struct ToolUse {
  std::string tool_use_id;
  std::string name;
  ToolUseState state = ToolUseState::started;
  std::string input_delta;            // input_delta: a piece of JSON text
  std::shared_ptr<const Json> input;  // ready
};

struct ToolProgress {
  std::string tool_use_id;
  platform::OutputStream stream = platform::OutputStream::standard_output;
  std::string text;
};

enum class ToolStatus { completed, failed, denied, cancelled };

struct ToolResult {
  std::string tool_use_id;
  std::string name;
  ToolStatus status = ToolStatus::completed;
  bool is_error = false;
  std::vector<ToolContent> content;  // what the model gets
  Json details;                      // null if none
};

enum class ApprovalDecision { allow, deny };
enum class ApprovalScope { once, session };
enum class ApprovalBy { user, grant, mode, no_approver, cancelled };

struct ApprovalRequested {
  std::string tool_use_id;
  std::string name;
  std::shared_ptr<const Json> input;
  std::string reason;
  std::optional<std::string> preview;
  bool may_be_granted = true;  // an answer for the session covers something
};

struct ApprovalResolved {
  std::string tool_use_id;
  ApprovalDecision decision = ApprovalDecision::deny;
  ApprovalBy by = ApprovalBy::user;
};

/// The model asks the user; its call waits for the answers.
struct QuestionAsked {
  std::string tool_use_id;
  std::vector<Question> questions;  // at least one
};

enum class QuestionBy { user, no_approver, cancelled };

struct QuestionResolved {
  std::string tool_use_id;
  QuestionBy by = QuestionBy::user;
};

/// All that this turn's reply delivered so far is void; its calls are closed already.
struct ReplyDiscarded {
  int turn = 1;
};

struct Retrying {
  int attempt = 2;  // the one to come
  int max_attempts = 10;
  std::chrono::milliseconds delay{0};
  std::string reason;
};

/// The session's permission mode is another one from here on.
struct ModeChanged {
  permission::Mode mode = permission::Mode::ask;
};

/// The model's list of its work is this from here on; the whole of it.
struct TodosChanged {
  std::vector<Todo> todos;
};

enum class AttachmentKind { message, memory, changed_file, recent_file, todo };

/// Added to what the model is told, beside its calls' results.
struct Attachment {
  AttachmentKind kind = AttachmentKind::message;
  std::string title;        // a few words for people
  std::string message_id;   // message: what agent/send called it
  std::vector<Block> said;  // message: its words, for the record
};

enum class CompactionTrigger { automatic, window_exceeded, manual };

/// The model is asked to sum the conversation up; Compacted follows.
struct Compacting {
  CompactionTrigger trigger = CompactionTrigger::automatic;
  std::int64_t tokens = 0;  // of the next request, as counted or estimated
};

struct Compacted {
  CompactionTrigger trigger = CompactionTrigger::automatic;
  std::int64_t tokens_before = 0;
  std::int64_t tokens_after = 0;
  std::string fault;  // why it was not done; empty: it was
};

/// One line about what a batch of calls did, for people; it comes beside the turns after it.
struct ToolSummary {
  std::vector<std::string> tool_use_ids;
  std::string summary;
};

/// A hook has run.
struct HookRan {
  hooks::HookRecord record;
  std::string tool_use_id;  // of the call it ran for; empty: none
};

enum class NoticeLevel { info, warning, error };

struct Notice {
  NoticeLevel level = NoticeLevel::info;
  std::string code;  // for programs, snake_case
  std::string message;
};

struct RunEnded {
  Ending ending = Ending::completed;
  std::string message;  // why, for people; empty when there is nothing to say
  int turns = 0;
  Usage usage;                             // the run's sum
  std::vector<UserMessage> not_delivered;  // what the model was never told
};

using Event =
    std::variant<RunStarted, TurnStarted, TurnEnded, TextDelta, ThinkingDelta, ToolUse,
                 ToolProgress, ToolResult, ApprovalRequested, ApprovalResolved, QuestionAsked,
                 QuestionResolved, ReplyDiscarded, Retrying, ModeChanged, TodosChanged, Attachment,
                 Compacting, Compacted, HookRan, ToolSummary, Notice, RunEnded>;

/// Where a run's events go. Called on the run's thread; never waits.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void emit(Event event) = 0;
};

}  // namespace agentd::agent
