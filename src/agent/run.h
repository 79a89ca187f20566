// One run: the model answers, its tools work, their results go back, until there is nothing left
// to do. The whole loop is four steps, each a function in loop.cc, in this order:
//
//   prepare  what this turn needs: room in the window, what the user said meanwhile, the view of
//            history that is sent, the tool list
//   stream   send it; every delta goes out as an event; calls start in the executor while the
//            reply is still arriving; failed attempts are retried, visibly, before any call started
//   settle   wait for the calls; each tool_use gets exactly one tool_result, in block order, in
//            one user message
//   decide   a pure function (decide.h): go round again for a named reason, or end with one
//
// Blocks decide, never stop_reason: a client tool_use in a kept reply means its calls are due;
// without one none are. The rules, with their reasons, stand in src/README.md.
//
// A run lives on its own thread, owns its history and executor while it lasts, and is the only
// emitter of its events. Everything that happens to it arrives in its mailbox: model events, tool
// results, answers to approvals, cancel. At its end the mailbox is closed and whoever is left in
// it is answered.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/checkpoints.h"
#include "agent/conversation.h"
#include "agent/event.h"
#include "agent/journal.h"
#include "agent/offered_tools.h"
#include "base/clock.h"
#include "base/flow_gate.h"
#include "base/ids.h"
#include "context/memory.h"
#include "hooks/hook_set.h"
#include "message/tool_choice.h"
#include "model/models.h"
#include "model/retry.h"
#include "tools/registry.h"

namespace agentd::agent {

enum class ToolStart { streaming, after_reply };

/// What a run is asked to do.
struct RunOptions {
  std::string run_id;
  std::string session_id;
  std::vector<Block> prompt;
  model::ResolvedModel model;
  std::string system_prompt;
  int max_turns = 0;  // 0: none
  ToolWishes tools;
  /// A forced call is for the first turn; `none` is for all.
  ToolChoice tool_choice;
  ToolStart tool_start = ToolStart::streaming;
  bool approvals = true;  // false: nobody can be asked, every question is denied at once
  context::MemoryPlaces memory_places;  // home, config and trust; the rest is the session's
  bool auto_compact = true;             // before the window is full, and when it is
  /// Set: no prompt, only a compaction, with the user's wishes for the summary (may be empty).
  std::optional<std::string> compaction;
  std::shared_ptr<const hooks::HookSet> hooks;  // nullptr: none
  bool deny_stops = false;                      // a person's plain deny ends the run: `blocked`
  std::int64_t token_budget = 0;                // output tokens the user wants spent; 0: none
  std::optional<double> max_budget_usd;         // needs prices of every model that may answer
  std::vector<model::ResolvedModel> fallback_models;  // asked in turn when `model` cannot be had
  std::optional<model::ResolvedModel> summary_model;  // says what each batch of calls did
  model::RetryPolicy retry;
  std::shared_ptr<Journal> journal;          // nullptr: the session lives in memory alone
  std::shared_ptr<Checkpoints> checkpoints;  // nullptr: what files were is not kept
};

/// What a run works with. All outlive it.
struct Services {
  Clock& clock;
  Ids& ids;
  platform::Files& files;
  platform::Commands& commands;
  const tools::Registry& tools;
};

/// The answer to a question put by ApprovalRequested.
struct ApprovalAnswer {
  std::string tool_use_id;
  ApprovalDecision decision = ApprovalDecision::deny;
  ApprovalScope scope = ApprovalScope::once;
  std::optional<Json> updated_input;
  std::string message;  // told to the model with a denial
};

/// The answer to what QuestionAsked put.
struct AnswersGiven {
  std::string tool_use_id;
  std::vector<QuestionAnswer> answers;  // one for each question, in their order
  bool rejected = false;                // the user does not want to answer
  std::string message;                  // told to the model with a rejection
};

/// Threads that were given up and may still be inside a tool or a file system: what they use must
/// not be destroyed, so a process that has any leaves without destructors (server/).
std::atomic<int>& left_behind();

/// A run under way. Any thread may call these; each completion is called exactly once, on the
/// run's thread or, if the run has ended, on the caller's.
class Run {
 public:
  /// Starts the thread. `sink` and `services` outlive the run. `ended` is called once, as the last
  /// thing the run's thread does, with the conversation as it stands.
  Run(RunOptions options, Conversation conversation, const Services& services, Sink& sink,
      std::shared_ptr<FlowGate> gate, std::function<void(Conversation)> ended);
  ~Run();  // joins the thread; call cancel() first to be quick

  void cancel(std::function<void(Ending)> done);
  /// Error: too_late (answered or withdrawn before), unknown_call, invalid_input (updated_input).
  void approve(ApprovalAnswer answer, std::function<void(Result<void>)> done);
  /// Error: as for approve(); invalid_input if the answers do not fit the questions.
  void answer_question(AnswersGiven answers, std::function<void(Result<void>)> done);
  /// False: the run is past hearing it, and the conversation on its way back.
  bool set_mode(permission::Mode mode);
  /// Another model answers from the next turn on, for the rest of the run.
  void set_model(model::ResolvedModel model);
  /// Error: not_delivered if the run is over.
  void send(UserMessage message, std::function<void(Result<void>)> done);
  /// Takes a message back. Error: too_late if the model was told, not_found for an unknown id.
  void unsend(std::string message_id, std::function<void(Result<void>)> done);
  /// Nobody can answer questions any more: open and later ones are denied, the run goes on.
  void withdraw_approvals();

  struct State;

 private:
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace agentd::agent
