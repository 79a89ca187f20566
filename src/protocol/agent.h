// Requests about runs: agent/start, agent/send, agent/unsend, agent/cancel, agent/approveTool,
// agent/answerQuestion, agent/setMode.
#pragma once

#include "protocol/content.h"
#include "protocol/modes.h"

namespace agentd::protocol {

struct ToolChoice {
  static constexpr std::string_view kName = "ToolChoice";
  ToolChoiceType type = ToolChoiceType::automatic;
  std::optional<std::string> name;

  static void fields(auto& field) {
    field("type", &ToolChoice::type, "Whether it may, must or must not.");
    field("name", &ToolChoice::name, "With type tool: which.");
  }
};

struct StartParams {
  static constexpr std::string_view kName = "StartParams";
  Prompt prompt;
  std::optional<std::string> run_id;
  std::optional<std::string> session_id;
  std::optional<std::string> cwd;
  std::optional<std::string> model;
  std::optional<PermissionMode> permission_mode;
  std::optional<int> max_turns;
  std::optional<ToolStart> tool_start;
  std::optional<OnDeny> on_deny;
  std::optional<std::string> system_prompt;
  std::optional<std::vector<std::string>> fallback_models;
  std::optional<std::vector<std::string>> tools;
  std::optional<ToolChoice> tool_choice;
  std::optional<std::string> tool_summary_model;
  std::optional<bool> trusted;
  std::optional<double> max_budget_usd;
  std::optional<std::int64_t> token_budget;

  static void fields(auto& field) {
    field("prompt", &StartParams::prompt, "What is asked: text, or content blocks.");
    field("runId", &StartParams::run_id,
          "A name for the run, chosen by the client and not used before; absent: agentd makes one. "
          "With it a script can speak of the run before it reads the answer.",
          wire::kNoNul);
    field("sessionId", &StartParams::session_id,
          "The session whose conversation goes on; a name not known yet begins that session. "
          "Absent: a new session.",
          wire::kNoNul);
    field("cwd", &StartParams::cwd,
          "The workspace, an absolute path; only looked at when the session begins. Absent: the "
          "directory agentd was started in.",
          wire::kNoNul);
    field("model", &StartParams::model,
          "`provider/name`, `demo`, or `script:FILE`; see model/list. Absent: the session's, else "
          "that of the settings, else what model/list calls the default.",
          wire::kNoNul);
    field("permissionMode", &StartParams::permission_mode,
          "How much may be done unasked, in this run and the session's later ones, until another "
          "agent/start or agent/setMode says otherwise. Absent: the session's, else that of the "
          "settings.");
    field("maxTurns", &StartParams::max_turns,
          "At most this many model calls, retries not counted; 0: no limit. Absent: that of "
          "AGENTD_MAX_TURNS or the settings, else none.",
          {.minimum = 0});
    field("toolStart", &StartParams::tool_start, "When calls may start.");
    field("onDeny", &StartParams::on_deny, "What follows when a call is denied.");
    field("systemPrompt", &StartParams::system_prompt,
          "Replaces the built-in system prompt, for this run.");
    field(
        "fallbackModels", &StartParams::fallback_models,
        "Models to go on with, in this order and for this run only, when the one before cannot be "
        "had (overload, rate limit, server or network fault). Absent: those of the settings.");
    field("tools", &StartParams::tools,
          "The tools that this run offers its model, by the names of tool/list; empty: none. "
          "Absent: all. What the settings deny (permissions.deny) is never offered.");
    field("toolChoice", &StartParams::tool_choice,
          "Whether the model may, must or must not call tools.");
    field("toolSummaryModel", &StartParams::tool_summary_model,
          "A small model that says in a line what each batch of calls did (agent/toolSummary); an "
          "empty name: none. Absent: that of the settings, else none.");
    field("trusted", &StartParams::trusted,
          "The user trusts the workspace: what its own files decide (hooks) counts. Only looked at "
          "when the session begins. Absent: as `agentd trust` has it.");
    field("maxBudgetUsd", &StartParams::max_budget_usd,
          "The run ends when its model calls have cost this many US dollars; needs models whose "
          "prices agentd knows (model/list). Absent: that of the settings, else none.",
          {.minimum = 0});
    field(
        "tokenBudget", &StartParams::token_budget,
        "Output tokens to spend on the task: while less than nine tenths of it are spent, a model "
        "that says it is done is asked to go on, until that adds little.",
        {.minimum = 1});
  }
};

struct StartResult {
  static constexpr std::string_view kName = "StartResult";
  std::string session_id;
  std::string run_id;

  static void fields(auto& field) {
    field("sessionId", &StartResult::session_id,
          "The session; give it to a later agent/start to go on with the conversation.");
    field("runId", &StartResult::run_id, "The run; its notifications carry it.");
  }
};

struct CancelParams {
  static constexpr std::string_view kName = "CancelParams";
  std::string run_id;

  static void fields(auto& field) { field("runId", &CancelParams::run_id, "The run to cancel."); }
};

struct CancelResult {
  static constexpr std::string_view kName = "CancelResult";
  Ending ending = Ending::completed;

  static void fields(auto& field) {
    field("ending", &CancelResult::ending,
          "How the run ended; it may have ended otherwise before the cancel reached it.");
  }
};

struct ApproveToolParams {
  static constexpr std::string_view kName = "ApproveToolParams";
  std::string run_id;
  std::string tool_use_id;
  ApprovalDecision decision = ApprovalDecision::deny;
  std::optional<ApprovalScope> scope;
  std::optional<Json> updated_input;
  std::optional<std::string> message;

  static void fields(auto& field) {
    field("runId", &ApproveToolParams::run_id, "The run that asked.");
    field("toolUseId", &ApproveToolParams::tool_use_id, "The call it asked about.");
    field("decision", &ApproveToolParams::decision, "The answer.");
    field("scope", &ApproveToolParams::scope, "How far an allow reaches.");
    field("updatedInput", &ApproveToolParams::updated_input,
          "Runs the call with this input instead; only with allow.", {.object = true});
    field("message", &ApproveToolParams::message,
          "Told to the model with a deny: why, or what to do instead.");
  }
};

struct GivenAnswer {
  static constexpr std::string_view kName = "GivenAnswer";
  static constexpr std::string_view kDoc = "To one question: labels, a text, or both.";
  std::optional<std::vector<std::string>> labels;
  std::optional<std::string> text;

  static void fields(auto& field) {
    field("labels", &GivenAnswer::labels,
          "The labels chosen; more than one only where multiSelect is true.");
    field("text", &GivenAnswer::text, "The user's own words.");
  }
};

struct AnswerQuestionParams {
  static constexpr std::string_view kName = "AnswerQuestionParams";
  std::string run_id;
  std::string tool_use_id;
  std::optional<std::vector<GivenAnswer>> answers;
  std::optional<bool> rejected;
  std::optional<std::string> message;

  static void fields(auto& field) {
    field("runId", &AnswerQuestionParams::run_id, "The run that asked.");
    field("toolUseId", &AnswerQuestionParams::tool_use_id, "The call that asked.");
    field("answers", &AnswerQuestionParams::answers,
          "One for each question, in their order. Either this, or rejected.");
    field("rejected", &AnswerQuestionParams::rejected,
          "The user does not want to answer. With onDeny stop and no message this ends the run.");
    field("message", &AnswerQuestionParams::message,
          "Told to the model with a rejection: why, or what to do instead.");
  }
};

struct SendParams {
  static constexpr std::string_view kName = "SendParams";
  std::string run_id;
  Prompt prompt;
  std::optional<Delivery> delivery;

  static void fields(auto& field) {
    field("runId", &SendParams::run_id, "The run that is going on.");
    field("prompt", &SendParams::prompt, "What to tell its model: text, or content blocks.");
    field("delivery", &SendParams::delivery, "When the model is told.");
  }
};

struct SendResult {
  static constexpr std::string_view kName = "SendResult";
  std::string message_id;

  static void fields(auto& field) {
    field("messageId", &SendResult::message_id,
          "The message: in agent/attachment once the model is told, or in the notDelivered of "
          "agent/runEnded.");
  }
};

struct UnsendParams {
  static constexpr std::string_view kName = "UnsendParams";
  std::string run_id;
  std::string message_id;

  static void fields(auto& field) {
    field("runId", &UnsendParams::run_id, "The run it was sent to.");
    field("messageId", &UnsendParams::message_id, "What agent/send answered.");
  }
};

struct SetModeParams {
  static constexpr std::string_view kName = "SetModeParams";
  std::string session_id;
  PermissionMode permission_mode = PermissionMode::ask;

  static void fields(auto& field) {
    field("sessionId", &SetModeParams::session_id, "The session.");
    field("permissionMode", &SetModeParams::permission_mode,
          "Holds from now on, for the run that is going on too; open questions that it answers are "
          "settled.");
  }
};

struct CompactParams {
  static constexpr std::string_view kName = "CompactParams";
  std::string session_id;
  std::optional<std::string> run_id;
  std::optional<std::string> instructions;

  static void fields(auto& field) {
    field("sessionId", &CompactParams::session_id, "The session; no run may be going on in it.");
    field("runId", &CompactParams::run_id, "As in agent/start.", wire::kNoNul);
    field("instructions", &CompactParams::instructions,
          "What the summary should look after, in the user's words.");
  }
};

struct SetModelParams {
  static constexpr std::string_view kName = "SetModelParams";
  std::string session_id;
  std::string model;

  static void fields(auto& field) {
    field("sessionId", &SetModelParams::session_id, "The session.");
    field(
        "model", &SetModelParams::model,
        "As in agent/start. Answers from the next turn on, of the run that is going on too, and in "
        "the session's later runs.");
  }
};

}  // namespace agentd::protocol
