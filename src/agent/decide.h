// decide: what happens after a turn. A pure function over what the turn left behind and what the
// run has already spent; the table in decide.cc is read top-down, first row that applies.
#pragma once

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
};

/// Why a run ended.
enum class Ending {
  completed,
  aborted_streaming,
  aborted_tools,
  max_turns,
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
};

inline constexpr int kMaxOutputResumed = 3;
inline constexpr int kMaxReplyCut = 3;
inline constexpr int kMaxTurnPaused = 5;
inline constexpr int kMaxNudged = 1;

using Decision = std::variant<Transition, Ending>;

Decision decide(const TurnFacts& turn, const Spent& spent, const Limits& limits);

/// The counters after `transition` was taken.
Spent spend(Spent spent, Transition transition);

}  // namespace agentd::agent
