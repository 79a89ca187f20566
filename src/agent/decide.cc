#include "agent/decide.h"

namespace agentd::agent {
namespace {

using model::FailureClass;
using model::StopReason;

bool does_not_fit(const model::ModelFailure& failure) {
  return failure.failure_class == FailureClass::context_overflow ||
         failure.failure_class == FailureClass::too_large;
}

bool cut_short(StopReason stop) {
  return stop == StopReason::max_tokens || stop == StopReason::timeout;
}

Decision after_cut(const TurnFacts& turn, const Spent& spent, const Limits& limits) {
  // Rule 6: with a call started the reply cannot be asked for again; the next turn has the
  // higher limit all the same.
  const bool raise = turn.stop == StopReason::max_tokens && !spent.output_limit_raised &&
                     limits.can_raise_output && !turn.call_started;
  if (raise) return Transition::output_limit_raised;
  if (spent.output_resumed < kMaxOutputResumed) return Transition::output_resumed;
  return Ending::output_limit;
}

Decision without_calls(const TurnFacts& turn, const Spent& spent) {
  if (turn.stop == StopReason::pause_turn) {
    // A turn that is paused for ever is not done, whatever text it holds.
    if (spent.turn_paused < kMaxTurnPaused) return Transition::turn_paused;
    return Ending::model_error;
  }
  if (!turn.empty) return Ending::completed;
  if (spent.nudged < kMaxNudged) return Transition::nudged;
  return Ending::model_error;
}

// The rows, in order; the first that applies.
Decision first_row(const TurnFacts& turn, const Spent& spent, const Limits& limits) {
  if (turn.cancelled) return turn.call_was_open ? Ending::aborted_tools : Ending::aborted_streaming;
  if (turn.failure && !turn.call_started) {
    return does_not_fit(*turn.failure) ? Ending::prompt_too_long : Ending::model_error;
  }
  if (turn.stop == StopReason::refusal) return Ending::refused;
  if (turn.stop == StopReason::context_window_exceeded) return Ending::prompt_too_long;
  if (turn.stop && cut_short(*turn.stop) && (turn.call_cut || !turn.has_calls)) {
    return after_cut(turn, spent, limits);
  }
  if (turn.failure) {
    if (spent.reply_cut < kMaxReplyCut) return Transition::reply_cut;
    return Ending::model_error;
  }
  if (turn.has_calls) return Transition::next_turn;
  return without_calls(turn, spent);
}

}  // namespace

Decision decide(const TurnFacts& turn, const Spent& spent, const Limits& limits) {
  const Decision decision = first_row(turn, spent, limits);
  const bool goes_on = std::holds_alternative<Transition>(decision);
  if (goes_on && limits.max_turns > 0 && spent.turns >= limits.max_turns) return Ending::max_turns;
  return decision;
}

Spent spend(Spent spent, Transition transition) {
  switch (transition) {
    case Transition::next_turn:
      spent.output_resumed = 0;
      spent.reply_cut = 0;
      spent.turn_paused = 0;
      spent.nudged = 0;
      break;
    case Transition::output_limit_raised:
      spent.output_limit_raised = true;
      break;
    case Transition::output_resumed:
      ++spent.output_resumed;
      break;
    case Transition::reply_cut:
      ++spent.reply_cut;
      break;
    case Transition::turn_paused:
      ++spent.turn_paused;
      break;
    case Transition::nudged:
      ++spent.nudged;
      break;
  }
  return spent;
}

std::string_view to_string(Transition transition) {
  switch (transition) {
    case Transition::next_turn:
      return "next_turn";
    case Transition::output_limit_raised:
      return "output_limit_raised";
    case Transition::output_resumed:
      return "output_resumed";
    case Transition::reply_cut:
      return "reply_cut";
    case Transition::turn_paused:
      return "turn_paused";
    case Transition::nudged:
      return "nudged";
  }
  return "";
}

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::completed:
      return "completed";
    case Ending::aborted_streaming:
      return "aborted_streaming";
    case Ending::aborted_tools:
      return "aborted_tools";
    case Ending::max_turns:
      return "max_turns";
    case Ending::output_limit:
      return "output_limit";
    case Ending::prompt_too_long:
      return "prompt_too_long";
    case Ending::refused:
      return "refused";
    case Ending::model_error:
      return "model_error";
    case Ending::internal_error:
      return "internal_error";
  }
  return "";
}

std::string_view to_string(OutcomeKind outcome) {
  switch (outcome) {
    case OutcomeKind::success:
      return "success";
    case OutcomeKind::stopped:
      return "stopped";
    case OutcomeKind::error:
      return "error";
  }
  return "";
}

OutcomeKind outcome_of(Ending ending) {
  switch (ending) {
    case Ending::completed:
      return OutcomeKind::success;
    case Ending::aborted_streaming:
    case Ending::aborted_tools:
    case Ending::max_turns:
      return OutcomeKind::stopped;
    case Ending::output_limit:
    case Ending::prompt_too_long:
    case Ending::refused:
    case Ending::model_error:
    case Ending::internal_error:
      return OutcomeKind::error;
  }
  return OutcomeKind::error;
}

}  // namespace agentd::agent
