// What the loop keeps while it goes round, in groups that belong together. Plain values of the
// run's thread; the moves are in loop*.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agent/reply.h"
#include "agent/run.h"
#include "agent/run_message.h"
#include "agent/text_reply.h"
#include "base/clock.h"

namespace agentd::agent {

/// Which model answers: that of the options, a fallback, or one chosen later.
struct AnsweringModel {
  model::ResolvedModel now;
  std::optional<model::ResolvedModel> chosen;  // by the user, from the next turn on
  std::optional<std::string> untold;           // its name, to be told with the next turn
  std::size_t fallbacks_used = 0;
  std::int64_t window_as_resolved = 0;  // tokens, before the endpoint said otherwise
  std::int64_t output_limit = 0;        // tokens that the next request asks for

  void use(model::ResolvedModel model) {
    now = std::move(model);
    untold = now.name;
    window_as_resolved = now.facts.context_window;
    output_limit = now.facts.default_output;
  }
};

/// A call of the reply with its result.
struct FinishedCall {
  const ReplyBlock* block = nullptr;  // of the reply, while it lasts
  ToolResultBlock result;
};

/// What the run has cost so far.
struct Expenses {
  Usage usage;
  double usd = 0;
  std::int64_t round_began_at = 0;  // output tokens, when the tokenBudget was last continued
};

/// What the user said meanwhile.
struct Messages {
  WaitingMessages waiting;
  std::vector<UserMessage> refused;       // by a hook
  std::unordered_set<std::string> taken;  // ids the model was told, or is about to be
};

/// What the hooks of the last turn said.
struct TurnHooks {
  std::string reason;                 // of the one that decided, for people
  std::vector<Block> batch_contexts;  // of PostToolBatch, for the model
  bool batch_stopped = false;
  bool ends_run = false;  // `continue: false`, of a hook that was asked between two turns
};

/// Hooks that the loop itself runs, and waits for.
struct RunningHooks {
  std::stop_source stop;
  std::optional<hooks::HookOutcomes> done;
};

struct CompactionState {
  std::optional<TextReply> summary;  // while the loop waits for it
  bool forbidden = false;            // by a hook, the last time
  std::string fault;                 // why the last one was not done
  std::string refusal;               // the endpoint's words, of what did not fit
};

struct CancelState {
  bool call_was_open = false;  // when it came
  std::vector<std::function<void(Ending)>> waiters;
  std::unique_ptr<Timer> give_up_timer;
  bool gave_up = false;
  std::vector<std::string> given_up;  // what did not stop
};

/// What the journal was asked.
struct JournalState {
  int asked = 0;
  int answered = 0;
  bool told = false;  // that the session is not stored
  std::unique_ptr<Timer> patience;
};

/// Looking at the disk for what the model should be told.
struct LookState {
  std::thread thread;
  std::optional<LookedAround> found;
  std::optional<TimePoint> last;
  std::vector<Attachment> attached;  // to be told with the turn
};

}  // namespace agentd::agent
