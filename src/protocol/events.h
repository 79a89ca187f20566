// Notifications of a run, in the order of its life. The structs hold what is their own; on the
// wire each begins with the three members of RunHead (OfRun puts them together for the schema;
// rpc/'s outbox writes them, because `seq` is taken there).
#pragma once

#include "protocol/content.h"
#include "protocol/modes.h"

namespace agentd::protocol {

struct RunHead {
  static constexpr std::string_view kName = "RunHead";
  static constexpr std::string_view kDoc = "What every notification of a run begins with.";
  std::string session_id;
  std::string run_id;
  std::int64_t seq = 0;
  std::optional<bool> replay;

  static void fields(auto& field) {
    field("sessionId", &RunHead::session_id, "The session of the run.");
    field("runId", &RunHead::run_id, "The run.");
    field("seq", &RunHead::seq,
          "Counts the notifications of this run, from 1, without a gap and in the order they "
          "are sent. A replay counts anew.",
          {.minimum = 1});
    field("replay", &RunHead::replay,
          "True: told again by session/load, text in one piece and without what was only on the "
          "way (input as it was written, live output). Absent: it happens now.");
  }
};

template <class Event>
struct OfRun : RunHead, Event {
  static constexpr std::string_view kName = Event::kName;

  static void fields(auto& field) {
    RunHead::fields(field);
    Event::fields(field);
  }
};

struct RunStarted {
  static constexpr std::string_view kName = "RunStarted";
  std::string model;

  static void fields(auto& field) {
    field("model", &RunStarted::model, "The model that answers, as model/list names it.");
  }
};

struct UserMessage {
  static constexpr std::string_view kName = "UserMessage";
  std::vector<Content> content;
  std::optional<std::string> message_id;

  static void fields(auto& field) {
    field("content", &UserMessage::content, "What the user said.");
    field("messageId", &UserMessage::message_id, "As agent/send called it; absent for a prompt.");
  }
};

struct TurnStarted {
  static constexpr std::string_view kName = "TurnStarted";
  int turn = 1;
  std::optional<Transition> transition;
  std::optional<std::string> model;

  static void fields(auto& field) {
    field("turn", &TurnStarted::turn, "Counts the model calls of the run, from 1.", {.minimum = 1});
    field("transition", &TurnStarted::transition,
          "Why there is another turn; absent on the first.");
    field("model", &TurnStarted::model,
          "The model that answers from here on, where it is another than before.");
  }
};

struct TurnEnded {
  static constexpr std::string_view kName = "TurnEnded";
  int turn = 1;
  std::optional<std::string> stop_reason;
  Usage usage;

  static void fields(auto& field) {
    field("turn", &TurnEnded::turn, "The turn that ended; its calls are settled.", {.minimum = 1});
    field("stopReason", &TurnEnded::stop_reason,
          "Why the model stopped, in its endpoint's own word; absent if it told none.");
    field("usage", &TurnEnded::usage, "Tokens of this turn.");
  }
};

struct TextDelta {
  static constexpr std::string_view kName = "TextDelta";
  std::string block_id;
  std::string text;

  static void fields(auto& field) {
    field("blockId", &TextDelta::block_id,
          "The block of the reply the text belongs to; another id is another paragraph.");
    field("text", &TextDelta::text, "A piece of the answer, to be added to what came before.");
  }
};

struct ThinkingDelta {
  static constexpr std::string_view kName = "ThinkingDelta";
  std::string block_id;
  std::string text;

  static void fields(auto& field) {
    field("blockId", &ThinkingDelta::block_id, "The block of the reply the text belongs to.");
    field("text", &ThinkingDelta::text, "A piece of the model's reasoning.");
  }
};

struct ToolUse {
  static constexpr std::string_view kName = "ToolUse";
  std::string tool_use_id;
  std::string name;
  ToolUseState state = ToolUseState::started;
  std::optional<std::string> input_delta;
  std::optional<Json> input;

  static void fields(auto& field) {
    field("toolUseId", &ToolUse::tool_use_id,
          "The call. The model's own id; a new one where that is empty or was used before.");
    field("name", &ToolUse::name, "The tool, as the model named it.");
    field("state", &ToolUse::state, "How far the call is.");
    field("inputDelta", &ToolUse::input_delta,
          "With state inputDelta: a piece of the input's JSON text, to be added to what came "
          "before.");
    field("input", &ToolUse::input, "With state ready: the whole input.", {.object = true});
  }
};

struct ToolProgress {
  static constexpr std::string_view kName = "ToolProgress";
  std::string tool_use_id;
  OutputStream stream = OutputStream::standard_output;
  std::string text;

  static void fields(auto& field) {
    field("toolUseId", &ToolProgress::tool_use_id, "The call.");
    field("stream", &ToolProgress::stream, "Where the command wrote it.");
    field("text", &ToolProgress::text,
          "Live output. A client that reads slowly gets its head and tail and a line that says "
          "how much was skipped.");
  }
};

struct ToolResult {
  static constexpr std::string_view kName = "ToolResult";
  std::string tool_use_id;
  std::string name;
  ToolStatus status = ToolStatus::completed;
  bool is_error = false;
  std::vector<Content> content;
  std::optional<Json> details;

  static void fields(auto& field) {
    field("toolUseId", &ToolResult::tool_use_id, "The call.");
    field("name", &ToolResult::name, "The tool.");
    field("status", &ToolResult::status, "What became of the call.");
    field("isError", &ToolResult::is_error, "Whether the model is told that it failed.");
    field("content", &ToolResult::content, "What the model gets.");
    field("details", &ToolResult::details,
          "For people, by tool: the diff of an edit, an exit code, counts.", {.object = true});
  }
};

struct ApprovalOption {
  static constexpr std::string_view kName = "ApprovalOption";
  ApprovalDecision decision = ApprovalDecision::deny;
  ApprovalScope scope = ApprovalScope::once;
  std::string label;

  static void fields(auto& field) {
    field("decision", &ApprovalOption::decision, "For agent/approveTool.");
    field("scope", &ApprovalOption::scope, "For agent/approveTool.");
    field("label", &ApprovalOption::label, "A few words to show.");
  }
};

struct ApprovalRequested {
  static constexpr std::string_view kName = "ApprovalRequested";
  std::string tool_use_id;
  std::string name;
  Json input;
  std::string reason;
  std::optional<std::string> preview;
  std::vector<ApprovalOption> options;

  static void fields(auto& field) {
    field("toolUseId", &ApprovalRequested::tool_use_id, "The call; answer with agent/approveTool.");
    field("name", &ApprovalRequested::name, "The tool.");
    field("input", &ApprovalRequested::input, "Its input.", {.object = true});
    field("reason", &ApprovalRequested::reason, "Why it asks, a sentence for a person.");
    field(
        "preview", &ApprovalRequested::preview,
        "What would change: a unified diff, for tools that edit files; the plan, for ExitPlanMode "
        "(Markdown).");
    field("options", &ApprovalRequested::options, "The answers there are.");
  }
};

struct ApprovalResolved {
  static constexpr std::string_view kName = "ApprovalResolved";
  std::string tool_use_id;
  ApprovalDecision decision = ApprovalDecision::deny;
  ApprovalBy by = ApprovalBy::user;

  static void fields(auto& field) {
    field("toolUseId", &ApprovalResolved::tool_use_id, "The call that was asked about.");
    field("decision", &ApprovalResolved::decision, "The answer.");
    field("by", &ApprovalResolved::by, "Who or what gave it.");
  }
};

struct QuestionOption {
  static constexpr std::string_view kName = "QuestionOption";
  std::string label;
  std::string description;
  std::optional<std::string> preview;

  static void fields(auto& field) {
    field("label", &QuestionOption::label, "What is chosen; unique in its question.");
    field("description", &QuestionOption::description, "What choosing it leads to.");
    field("preview", &QuestionOption::preview, "What it would look like: code, a layout.");
  }
};

struct UserQuestion {
  static constexpr std::string_view kName = "UserQuestion";
  std::string question;
  std::string header;
  std::vector<QuestionOption> options;
  bool multi_select = false;

  static void fields(auto& field) {
    field("question", &UserQuestion::question, "The question.");
    field("header", &UserQuestion::header,
          "What it is about, a word or two; the model is held to no length.");
    field("options", &UserQuestion::options,
          "What there is to choose from, 2 to 4. Words of the user's own are always welcome.");
    field("multiSelect", &UserQuestion::multi_select, "Whether several may be chosen.");
  }
};

struct QuestionAsked {
  static constexpr std::string_view kName = "QuestionAsked";
  std::string tool_use_id;
  std::vector<UserQuestion> questions;

  static void fields(auto& field) {
    field("toolUseId", &QuestionAsked::tool_use_id, "The call; answer with agent/answerQuestion.");
    field("questions", &QuestionAsked::questions, "What to ask, 1 to 4, answered together.");
  }
};

struct QuestionResolved {
  static constexpr std::string_view kName = "QuestionResolved";
  std::string tool_use_id;
  QuestionBy by = QuestionBy::user;

  static void fields(auto& field) {
    field("toolUseId", &QuestionResolved::tool_use_id, "The call whose questions are settled.");
    field("by", &QuestionResolved::by, "Who or what settled them.");
  }
};

struct ReplyDiscarded {
  static constexpr std::string_view kName = "ReplyDiscarded";
  int turn = 1;

  static void fields(auto& field) {
    field("turn", &ReplyDiscarded::turn,
          "The turn whose text and calls so far are void: take them back from the screen.",
          {.minimum = 1});
  }
};

struct Retrying {
  static constexpr std::string_view kName = "Retrying";
  int attempt = 2;
  int max_attempts = 1;
  std::int64_t delay_ms = 0;
  std::string reason;

  static void fields(auto& field) {
    field("attempt", &Retrying::attempt, "The attempt to come; the first one was 1.",
          {.minimum = 2});
    field("maxAttempts", &Retrying::max_attempts, "How many there are in all.", {.minimum = 1});
    field("delayMs", &Retrying::delay_ms, "How long it waits first, in milliseconds.",
          {.minimum = 0});
    field("reason", &Retrying::reason, "Why the last one failed, for people.");
  }
};

struct Compacting {
  static constexpr std::string_view kName = "Compacting";
  CompactionTrigger trigger = CompactionTrigger::automatic;
  std::int64_t tokens = 0;

  static void fields(auto& field) {
    field("trigger", &Compacting::trigger, "Why.");
    field("tokens", &Compacting::tokens, "What the next request would hold, counted or estimated.",
          {.minimum = 0});
  }
};

struct Compacted {
  static constexpr std::string_view kName = "Compacted";
  CompactionTrigger trigger = CompactionTrigger::automatic;
  std::int64_t tokens_before = 0;
  std::int64_t tokens_after = 0;
  std::optional<std::string> fault;

  static void fields(auto& field) {
    field("trigger", &Compacted::trigger, "Why.");
    field("tokensBefore", &Compacted::tokens_before, "What the next request would have held.",
          {.minimum = 0});
    field("tokensAfter", &Compacted::tokens_after, "What it holds now, estimated.", {.minimum = 0});
    field("fault", &Compacted::fault, "Why it was not done; absent: it was.");
  }
};

struct HookRan {
  static constexpr std::string_view kName = "HookRan";
  std::string event;
  std::string command;
  std::string origin;
  HookOutcome outcome = HookOutcome::success;
  std::int64_t duration_ms = 0;
  std::optional<int> exit_code;
  std::optional<std::string> message;
  std::optional<std::string> tool_use_id;

  static void fields(auto& field) {
    field("event", &HookRan::event, "PreToolUse, Stop and so on.");
    field("command", &HookRan::command, "The command, as its settings file has it.");
    field("origin", &HookRan::origin, "That file.");
    field("outcome", &HookRan::outcome, "What came of it.");
    field("durationMs", &HookRan::duration_ms, "How long it took.", {.minimum = 0});
    field("exitCode", &HookRan::exit_code, "Absent if it did not exit by itself.");
    field("message", &HookRan::message, "Its words, its objection, or what is broken.");
    field("toolUseId", &HookRan::tool_use_id, "The call it ran for; absent: none.");
  }
};

struct ToolSummary {
  static constexpr std::string_view kName = "ToolSummary";
  std::vector<std::string> tool_use_ids;
  std::string summary;

  static void fields(auto& field) {
    field("toolUseIds", &ToolSummary::tool_use_ids, "The calls, in their order.");
    field("summary", &ToolSummary::summary, "What they did or found; one line.");
  }
};

/// Of no run: the session's runs are over, and with them their `seq`.
struct SessionHookRan : HookRan {
  static constexpr std::string_view kName = "SessionHookRan";
  std::string session_id;

  static void fields(auto& field) {
    field("sessionId", &SessionHookRan::session_id, "The session that ends.");
    HookRan::fields(field);
  }
};

struct Notice {
  static constexpr std::string_view kName = "Notice";
  NoticeLevel level = NoticeLevel::info;
  std::string code;
  std::string message;

  static void fields(auto& field) {
    field("level", &Notice::level, "How bad it is.");
    field("code", &Notice::code, "What it is about, for programs; snake_case.");
    field("message", &Notice::message, "The same, for people.");
  }
};

struct Attachment {
  static constexpr std::string_view kName = "Attachment";
  AttachmentKind kind = AttachmentKind::message;
  std::string title;
  std::optional<std::string> message_id;

  static void fields(auto& field) {
    field("kind", &Attachment::kind, "What it is.");
    field("title", &Attachment::title, "A few words to show.");
    field("messageId", &Attachment::message_id, "With kind message: what agent/send answered.");
  }
};

struct ModeChanged {
  static constexpr std::string_view kName = "ModeChanged";
  PermissionMode permission_mode = PermissionMode::ask;

  static void fields(auto& field) {
    field("permissionMode", &ModeChanged::permission_mode, "The mode that holds from here on.");
  }
};

struct Todo {
  static constexpr std::string_view kName = "Todo";
  std::string content;
  TodoStatus status = TodoStatus::pending;
  std::string active_form;

  static void fields(auto& field) {
    field("content", &Todo::content, "What is to be done.");
    field("status", &Todo::status, "How far it is.");
    field("activeForm", &Todo::active_form, "The same as it happens: \"Running the tests\".");
  }
};

struct TodosChanged {
  static constexpr std::string_view kName = "TodosChanged";
  std::vector<Todo> todos;

  static void fields(auto& field) {
    field("todos", &TodosChanged::todos, "The whole list, in the order of the work.");
  }
};

struct UndeliveredMessage {
  static constexpr std::string_view kName = "UndeliveredMessage";
  std::string message_id;
  std::vector<Content> prompt;

  static void fields(auto& field) {
    field("messageId", &UndeliveredMessage::message_id, "What agent/send answered.");
    field("prompt", &UndeliveredMessage::prompt, "What it said.");
  }
};

struct RunEnded {
  static constexpr std::string_view kName = "RunEnded";
  Ending ending = Ending::completed;
  Outcome outcome = Outcome::success;
  std::optional<std::string> message;
  int turns = 0;
  Usage usage;
  std::optional<std::vector<UndeliveredMessage>> not_delivered;

  static void fields(auto& field) {
    field("ending", &RunEnded::ending, "Why it ended.");
    field("outcome", &RunEnded::outcome, "What kind of end that is.");
    field("message", &RunEnded::message, "What happened and what to do, for people.");
    field("turns", &RunEnded::turns, "How many model calls were made, retries not counted.",
          {.minimum = 0});
    field("usage", &RunEnded::usage, "Tokens of the whole run.");
    field("notDelivered", &RunEnded::not_delivered,
          "Messages of agent/send that the model was never told; absent if there are none.");
  }
};

}  // namespace agentd::protocol
