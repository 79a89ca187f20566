#include "agent/decide.h"

namespace agentd::agent {
namespace {

using model::FailureClass;
using model::StopReason;

Decision window_full(const Spent& spent, const Limits& limits) {
  if (!limits.can_compact) return Ending::blocking_limit;
  if (spent.compacted) return Ending::prompt_too_long;
  return Transition::compacted;
}

// A refusal that names no image may be for images all the same: they are what makes bodies large.
bool can_replace_images(FailureClass failure, const Spent& spent, const Limits& limits) {
  const bool may_be_images =
      failure == FailureClass::image_refused || failure == FailureClass::too_large;
  return may_be_images && limits.has_images && spent.images_replaced < kMaxImagesReplaced;
}

Decision after_failure(FailureClass failure, const Spent& spent, const Limits& limits) {
  if (can_repair(failure, spent, limits)) return Transition::request_repaired;
  if (failure == FailureClass::context_overflow || failure == FailureClass::too_large) {
    return window_full(spent, limits);
  }
  // Whatever is wrong with this model: the user wants another one.
  if (limits.model_chosen) return Transition::fallback_model;
  if (failure == FailureClass::image_refused) return Ending::image_error;
  if (limits.can_fall_back && model::may_pass(failure)) return Transition::fallback_model;
  return Ending::model_error;
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
  if (turn.empty) {
    if (spent.nudged < kMaxNudged) return Transition::nudged;
    return Ending::model_error;
  }
  if (turn.steered) return Transition::message_queued;
  if (turn.stop_hook_prevents) return Ending::stop_hook_prevented;
  if (turn.stop_hook_objects && spent.stop_hook_blocked < kMaxStopHookBlocked) {
    return Transition::stop_hook_blocked;
  }
  if (turn.below_token_budget) return Transition::budget_continued;
  if (turn.queued) return Transition::message_queued;
  return Ending::completed;
}

// The rows, in order; the first that applies.
Decision first_row(const TurnFacts& turn, const Spent& spent, const Limits& limits) {
  if (turn.cancelled) return turn.call_was_open ? Ending::aborted_tools : Ending::aborted_streaming;
  // Somebody's word that the run ends holds however the reply went on.
  if (turn.blocked) return Ending::blocked;
  if (turn.hook_stopped) return Ending::hook_stopped;
  if (turn.failure && !turn.call_started) {
    return after_failure(turn.failure->failure_class, spent, limits);
  }
  if (turn.stop == StopReason::refusal) return Ending::refused;
  if (turn.stop == StopReason::context_window_exceeded) return window_full(spent, limits);
  if (turn.stop && cut_short(*turn.stop) && (turn.call_cut || !turn.has_calls)) {
    return after_cut(turn, spent, limits);
  }
  if (turn.failure) {
    if (spent.reply_cut < kMaxReplyCut) return Transition::reply_cut;
    return Ending::model_error;
  }
  if (turn.has_calls) {
    if (turn.repeated) return Ending::repeated_calls;
    return Transition::next_turn;
  }
  return without_calls(turn, spent);
}

}  // namespace

bool can_repair(FailureClass failure, const Spent& spent, const Limits& limits) {
  if (failure == FailureClass::thinking_refused) {
    return limits.has_thinking && spent.thinking_stripped < kMaxThinkingStripped;
  }
  if (failure == FailureClass::output_limit_refused) {
    return limits.can_lower_output && spent.output_limit_learnt < kMaxOutputLimitLearnt;
  }
  return can_replace_images(failure, spent, limits);
}

bool token_budget_left(const TokenBudget& tokens, std::int64_t round_began_at) {
  if (tokens.spent * 10 >= tokens.budget * 9) return false;
  return round_began_at == 0 || tokens.spent - round_began_at >= kRoundAddsLittle;
}

Decision decide(const TurnFacts& turn, const Spent& spent, const Limits& limits) {
  const Decision decision = first_row(turn, spent, limits);
  const bool goes_on = std::holds_alternative<Transition>(decision);
  if (goes_on && limits.max_turns > 0 && spent.turns >= limits.max_turns) return Ending::max_turns;
  if (goes_on && turn.over_cost_budget) return Ending::max_budget;
  return decision;
}

namespace {

// Of what counts in a row nothing is left after a reply that moved the task on.
void start_anew(Spent& spent) {
  spent.output_resumed = 0;
  spent.reply_cut = 0;
  spent.turn_paused = 0;
  spent.nudged = 0;
  spent.images_replaced = 0;
}

void count_repair(Spent& spent, std::optional<FailureClass> failure) {
  if (failure == FailureClass::thinking_refused) {
    ++spent.thinking_stripped;
  } else if (failure == FailureClass::output_limit_refused) {
    ++spent.output_limit_learnt;
  } else {
    ++spent.images_replaced;
  }
}

bool reply_fitted(Transition transition) {
  return transition != Transition::compacted && transition != Transition::fallback_model &&
         transition != Transition::request_repaired;
}

}  // namespace

Spent spend(Spent spent, Transition transition, std::optional<FailureClass> failure) {
  if (reply_fitted(transition)) spent.compacted = false;
  switch (transition) {
    case Transition::next_turn:
    case Transition::message_queued:
    case Transition::budget_continued:
      start_anew(spent);
      break;
    case Transition::stop_hook_blocked:
      ++spent.stop_hook_blocked;
      start_anew(spent);
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
    case Transition::compacted:
      spent.compacted = true;
      break;
    case Transition::request_repaired:
      count_repair(spent, failure);
      break;
    case Transition::fallback_model:
      return with_new_model(spent);
  }
  return spent;
}

Spent with_new_model(Spent spent) {
  spent.output_limit_raised = false;
  spent.thinking_stripped = 0;
  spent.output_limit_learnt = 0;
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
    case Transition::compacted:
      return "compacted";
    case Transition::request_repaired:
      return "request_repaired";
    case Transition::fallback_model:
      return "fallback_model";
    case Transition::message_queued:
      return "message_queued";
    case Transition::stop_hook_blocked:
      return "stop_hook_blocked";
    case Transition::budget_continued:
      return "budget_continued";
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
    case Ending::blocked:
      return "blocked";
    case Ending::hook_stopped:
      return "hook_stopped";
    case Ending::stop_hook_prevented:
      return "stop_hook_prevented";
    case Ending::repeated_calls:
      return "repeated_calls";
    case Ending::max_turns:
      return "max_turns";
    case Ending::max_budget:
      return "max_budget";
    case Ending::output_limit:
      return "output_limit";
    case Ending::prompt_too_long:
      return "prompt_too_long";
    case Ending::blocking_limit:
      return "blocking_limit";
    case Ending::image_error:
      return "image_error";
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
    case Ending::blocked:
    case Ending::hook_stopped:
    case Ending::stop_hook_prevented:
    case Ending::repeated_calls:
    case Ending::max_turns:
    case Ending::max_budget:
      return OutcomeKind::stopped;
    case Ending::output_limit:
    case Ending::prompt_too_long:
    case Ending::blocking_limit:
    case Ending::image_error:
    case Ending::refused:
    case Ending::model_error:
    case Ending::internal_error:
      return OutcomeKind::error;
  }
  return OutcomeKind::error;
}

}  // namespace agentd::agent
