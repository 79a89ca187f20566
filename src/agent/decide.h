// decide: what happens after a turn. A pure function over what the turn left behind and what the
// run has already spent; the table in decide.cc is read top-down, first row that applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/event.h"

namespace agentd::agent {

/// Why the loop goes round again.
enum class Transition {
  next_turn,            // calls were settled, their results go back
  output_limit_raised,  // the reply was cut by its limit: the same request with a higher one
  output_resumed,       // cut again: asked to go on where it stopped
  reply_cut,            // the stream broke after a call had started: go on from the results
  turn_paused,          // the API paused the turn: sent back unchanged
  nudged,               // an empty reply: asked once to go on
  compacted,            // it did not fit the window: the older part is summed up first
  request_repaired,     // the endpoint refused a part of it: the same without that part
  fallback_model,       // the model cannot be had: the next one of fallbackModels is asked
  message_queued,       // the user said something meanwhile
  stop_hook_blocked,    // a Stop hook objects to the end
  budget_continued,     // less than the tokenBudget was spent: asked to go on
};

/// Why a run ended.
enum class Ending {
  completed,
  aborted_streaming,
  aborted_tools,
  blocked,              // the user denied a call, and onDeny is stop
  hook_stopped,         // a hook said that the run must not go on
  stop_hook_prevented,  // the same, of a Stop hook
  repeated_calls,       // the model went in circles, and nobody could be asked
  max_turns,
  max_budget,
  output_limit,
  prompt_too_long,
  blocking_limit,  // the window is full, and compaction is off or leads nowhere
  image_error,     // an image is refused, and taking images out does not help
  refused,
  model_error,
  internal_error,
};

/// What kind of end that is: one table for exit codes, colours and ACP stop reasons.
enum class OutcomeKind { success, stopped, error };

std::string_view to_string(Transition transition);
std::string_view to_string(Ending ending);
std::string_view to_string(OutcomeKind outcome);
OutcomeKind outcome_of(Ending ending);

/// What a turn left behind.
struct TurnFacts {
  bool cancelled = false;
  bool call_was_open = false;  // at the cancel, or when it ended: some call had not been settled
  std::optional<model::ModelFailure> failure;  // the model call failed for good
  bool call_started = false;                   // at least one call ran
  bool has_calls = false;                      // the kept reply holds tool_use blocks
  bool call_cut = false;                       // one of them was cut by the limit
  bool empty = false;                     // no text and no call (thinking only counts as empty)
  bool hook_stopped = false;              // a hook of a call, or of the batch, ends the run
  bool stop_hook_objects = false;         // a Stop hook was asked, and says: go on
  bool stop_hook_prevents = false;        // or: end here, whatever else waits
  bool blocked = false;                   // a plain refusal by the user, and onDeny is stop
  bool repeated = false;                  // a call closed a circle, and nobody could be asked
  bool steered = false;                   // the user said something that waits for the next turn
  bool queued = false;                    // and something for when the run would end
  bool below_token_budget = false;        // and the last round still added to what was spent
  bool over_cost_budget = false;          // maxBudgetUsd is spent
  std::optional<model::StopReason> stop;  // absent: none was told
};

/// What the run has spent. "In a row" counters go back to 0 on a normal next_turn.
struct Spent {
  int turns = 0;  // model calls, retries not counted
  bool output_limit_raised = false;
  bool compacted = false;       // because it did not fit, and no reply has fitted since
  int output_resumed = 0;       // in a row
  int reply_cut = 0;            // in a row
  int turn_paused = 0;          // in a row
  int nudged = 0;               // in a row
  int images_replaced = 0;      // in a row
  int thinking_stripped = 0;    // of this model
  int output_limit_learnt = 0;  // of this model
  int stop_hook_blocked = 0;    // in the whole run
};

struct Limits {
  int max_turns = 0;              // 0: none
  bool can_raise_output = true;   // the model allows more than was asked for
  bool can_compact = false;       // compaction is on and has not been found to lead nowhere
  bool can_fall_back = false;     // a model of fallbackModels was not tried yet
  bool model_chosen = false;      // by the user, since the request was made
  bool has_images = false;        // in the request
  bool has_thinking = false;      // in the request, or asked for with it
  bool can_lower_output = false;  // the endpoint named a lower limit than was asked for
};

inline constexpr int kMaxOutputResumed = 3;
inline constexpr int kMaxReplyCut = 3;
inline constexpr int kMaxTurnPaused = 5;
inline constexpr int kMaxNudged = 1;
inline constexpr int kMaxImagesReplaced = 1;
inline constexpr int kMaxThinkingStripped = 1;
inline constexpr int kMaxOutputLimitLearnt = 1;
inline constexpr int kMaxStopHookBlocked = 8;

/// The user wants `budget` output tokens spent (0: none wanted) on the task.
struct TokenBudget {
  std::int64_t budget = 0;
  std::int64_t spent = 0;
};

/// Whether a finished reply is answered with a wish to go on: less than nine tenths are spent, and
/// the round since the last such wish (which came when `round_began_at` were spent; 0: none came)
/// added more than a few words.
bool token_budget_left(const TokenBudget& tokens, std::int64_t round_began_at);

inline constexpr std::int64_t kRoundAddsLittle = 500;  // output tokens

using Decision = std::variant<Transition, Ending>;

Decision decide(const TurnFacts& turn, const Spent& spent, const Limits& limits);

/// Whether a request that was refused like this can be made again without what was refused.
bool can_repair(model::FailureClass failure, const Spent& spent, const Limits& limits);

/// The counters after `transition` was taken. `failure`: what a repaired request was refused for.
Spent spend(Spent spent, Transition transition,
            std::optional<model::FailureClass> failure = std::nullopt);

/// The counters as another model begins with them.
Spent with_new_model(Spent spent);

}  // namespace agentd::agent
