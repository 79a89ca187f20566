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
  fallback_model,       // the model cannot be had: the next one of fallbackModels is asked
  message_queued,       // the user said something meanwhile
  budget_continued,     // less than the tokenBudget was spent: asked to go on
};

/// Why a run ended.
enum class Ending {
  completed,
  aborted_streaming,
  aborted_tools,
  blocked,         // the user denied a call, and onDeny is stop
  repeated_calls,  // the model went in circles, and nobody could be asked
  max_turns,
  max_budget,
  output_limit,
  prompt_too_long,
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
  int output_resumed = 0;  // in a row
  int reply_cut = 0;       // in a row
  int turn_paused = 0;     // in a row
  int nudged = 0;          // in a row
};

struct Limits {
  int max_turns = 0;             // 0: none
  bool can_raise_output = true;  // the model allows more than was asked for
  bool can_fall_back = false;    // a model of fallbackModels was not tried yet
};

inline constexpr int kMaxOutputResumed = 3;
inline constexpr int kMaxReplyCut = 3;
inline constexpr int kMaxTurnPaused = 5;
inline constexpr int kMaxNudged = 1;

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

/// The counters after `transition` was taken.
Spent spend(Spent spent, Transition transition);

}  // namespace agentd::agent
