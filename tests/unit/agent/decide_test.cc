// The table of decide: every row, and the order of the rows.
#include "agent/decide.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agentd::agent;
using agentd::model::FailureClass;
using agentd::model::ModelFailure;
using agentd::model::StopReason;

namespace {

ModelFailure failed(FailureClass failure_class) {
  ModelFailure failure;
  failure.failure_class = failure_class;
  return failure;
}

std::string name(const Decision& decision) {
  if (const auto* transition = std::get_if<Transition>(&decision)) {
    return std::string(to_string(*transition));
  }
  return std::string(to_string(std::get<Ending>(decision)));
}

struct Row {
  const char* situation;
  TurnFacts turn;
  Spent spent;
  Limits limits;
  const char* expected;
};

const Limits kNone{};
const Spent kFirst{.turns = 1};

std::vector<Row> rows() {
  using S = StopReason;
  const auto full = failed(FailureClass::context_overflow);
  const auto down = failed(FailureClass::overloaded);
  return {
      {"cancelled with a call open",
       {.cancelled = true, .call_was_open = true, .has_calls = true},
       kFirst,
       kNone,
       "aborted_tools"},
      {"cancelled while text came", {.cancelled = true}, kFirst, kNone, "aborted_streaming"},
      {"cancel beats failure",
       {.cancelled = true, .failure = down},
       kFirst,
       kNone,
       "aborted_streaming"},
      {"failed for good", {.failure = down}, kFirst, kNone, "model_error"},
      {"too long, and compaction is off", {.failure = full}, kFirst, kNone, "blocking_limit"},
      {"too long", {.failure = full}, kFirst, {.can_compact = true}, "compacted"},
      {"too long, though it was compacted",
       {.failure = full},
       {.turns = 2, .compacted = true},
       {.can_compact = true},
       "prompt_too_long"},
      {"body too large",
       {.failure = failed(FailureClass::too_large)},
       kFirst,
       {.can_compact = true},
       "compacted"},
      {"an image is refused",
       {.failure = failed(FailureClass::image_refused)},
       kFirst,
       {.can_compact = true, .has_images = true},
       "request_repaired"},
      {"an image is refused, though all were taken out",
       {.failure = failed(FailureClass::image_refused)},
       {.turns = 2, .images_replaced = 1},
       {.can_fall_back = true, .has_images = true},
       "image_error"},
      {"an image is refused, and there is none",
       {.failure = failed(FailureClass::image_refused)},
       kFirst,
       kNone,
       "image_error"},
      {"a body too large for its images",
       {.failure = failed(FailureClass::too_large)},
       kFirst,
       {.can_compact = true, .has_images = true},
       "request_repaired"},
      {"a body too large without its images too",
       {.failure = failed(FailureClass::too_large)},
       {.turns = 2, .images_replaced = 1},
       {.can_compact = true, .has_images = true},
       "compacted"},
      {"too long, and it is not the images",
       {.failure = full},
       kFirst,
       {.can_compact = true, .has_images = true},
       "compacted"},
      {"an image is refused, and another model was chosen meanwhile",
       {.failure = failed(FailureClass::image_refused)},
       {.turns = 2, .images_replaced = 1},
       {.model_chosen = true, .has_images = true},
       "fallback_model"},
      {"a bad key, and another model was chosen meanwhile",
       {.failure = failed(FailureClass::auth)},
       kFirst,
       {.model_chosen = true},
       "fallback_model"},
      {"thinking is refused",
       {.failure = failed(FailureClass::thinking_refused)},
       kFirst,
       {.has_thinking = true},
       "request_repaired"},
      {"thinking is refused, though none is left",
       {.failure = failed(FailureClass::thinking_refused)},
       {.turns = 2, .thinking_stripped = 1},
       {.has_thinking = true},
       "model_error"},
      {"thinking is refused, and there is none",
       {.failure = failed(FailureClass::thinking_refused)},
       kFirst,
       kNone,
       "model_error"},
      {"the output limit is refused, and the allowed one was told",
       {.failure = failed(FailureClass::output_limit_refused)},
       kFirst,
       {.can_lower_output = true},
       "request_repaired"},
      {"the learnt output limit is refused too",
       {.failure = failed(FailureClass::output_limit_refused)},
       {.turns = 2, .output_limit_learnt = 1},
       {.can_lower_output = true},
       "model_error"},
      {"the output limit is refused, and nothing was told",
       {.failure = failed(FailureClass::output_limit_refused)},
       kFirst,
       kNone,
       "model_error"},
      {"repaired, but no turn is left",
       {.failure = failed(FailureClass::image_refused)},
       kFirst,
       {.max_turns = 1, .has_images = true},
       "max_turns"},
      {"what is refused after a call started",
       {.failure = failed(FailureClass::image_refused), .call_started = true, .has_calls = true},
       kFirst,
       {.has_images = true},
       "reply_cut"},
      {"refusal", {.has_calls = true, .stop = S::refusal}, kFirst, kNone, "refused"},
      {"refusal after a call",
       {.call_started = true, .has_calls = true, .stop = S::refusal},
       kFirst,
       kNone,
       "refused"},
      {"window exceeded",
       {.stop = S::context_window_exceeded},
       kFirst,
       {.can_compact = true},
       "compacted"},
      {"window exceeded, calls settled",
       {.call_started = true, .has_calls = true, .stop = S::context_window_exceeded},
       kFirst,
       {.can_compact = true},
       "compacted"},
      {"window exceeded again",
       {.stop = S::context_window_exceeded},
       {.turns = 2, .compacted = true},
       {.can_compact = true},
       "prompt_too_long"},
      {"compacted, but no turn is left",
       {.failure = full},
       kFirst,
       {.max_turns = 1, .can_compact = true},
       "max_turns"},
      {"text cut by the limit", {.stop = S::max_tokens}, kFirst, kNone, "output_limit_raised"},
      {"thinking alone used the limit up",
       {.empty = true, .stop = S::max_tokens},
       kFirst,
       kNone,
       "output_limit_raised"},
      {"call cut by the limit",
       {.has_calls = true, .call_cut = true, .stop = S::max_tokens},
       kFirst,
       kNone,
       "output_limit_raised"},
      {"cut, but a call has started",
       {.call_started = true, .has_calls = true, .call_cut = true, .stop = S::max_tokens},
       kFirst,
       kNone,
       "output_resumed"},
      {"cut, raised before",
       {.stop = S::max_tokens},
       {.turns = 2, .output_limit_raised = true},
       kNone,
       "output_resumed"},
      {"cut, nothing to raise",
       {.stop = S::max_tokens},
       kFirst,
       {.can_raise_output = false},
       "output_resumed"},
      {"timeout is not helped by a higher limit",
       {.stop = S::timeout},
       kFirst,
       kNone,
       "output_resumed"},
      {"cut again and again",
       {.stop = S::max_tokens},
       {.turns = 5, .output_limit_raised = true, .output_resumed = 3},
       kNone,
       "output_limit"},
      {"limit, but its calls are whole",
       {.has_calls = true, .stop = S::max_tokens},
       kFirst,
       kNone,
       "next_turn"},
      {"stream broke after a call",
       {.failure = down, .call_started = true, .has_calls = true},
       kFirst,
       kNone,
       "reply_cut"},
      {"window failure after a call is still a cut",
       {.failure = full, .call_started = true, .has_calls = true},
       kFirst,
       kNone,
       "reply_cut"},
      {"broke too often",
       {.failure = down, .call_started = true, .has_calls = true},
       {.turns = 4, .reply_cut = 3},
       kNone,
       "model_error"},
      {"calls settled",
       {.call_started = true, .has_calls = true, .stop = S::tool_use},
       kFirst,
       kNone,
       "next_turn"},
      {"calls, though it says end_turn",
       {.has_calls = true, .stop = S::end_turn},
       kFirst,
       kNone,
       "next_turn"},
      {"calls, and no reason told", {.has_calls = true}, kFirst, kNone, "next_turn"},
      {"calls and pause_turn",
       {.has_calls = true, .stop = S::pause_turn},
       kFirst,
       kNone,
       "next_turn"},
      {"a plain refusal, and that stops the run",
       {.has_calls = true, .blocked = true, .repeated = true},
       kFirst,
       kNone,
       "blocked"},
      {"a hook of a call says stop",
       {.call_started = true, .has_calls = true, .hook_stopped = true, .repeated = true},
       kFirst,
       kNone,
       "hook_stopped"},
      {"a refusal that ends the run, though the reply then broke",
       {.failure = down, .blocked = true},
       kFirst,
       {.can_fall_back = true},
       "blocked"},
      {"a hook's stop, though the reply was then cut",
       {.has_calls = true, .call_cut = true, .hook_stopped = true, .stop = S::max_tokens},
       kFirst,
       kNone,
       "hook_stopped"},
      {"a Stop hook objects", {.stop_hook_objects = true}, kFirst, kNone, "stop_hook_blocked"},
      {"a Stop hook objects for the ninth time",
       {.stop_hook_objects = true},
       {.turns = 9, .stop_hook_blocked = 8},
       kNone,
       "completed"},
      {"a Stop hook says that it ends here",
       {.stop_hook_prevents = true, .below_token_budget = true},
       kFirst,
       kNone,
       "stop_hook_prevented"},
      {"what steers comes before the Stop hooks",
       {.stop_hook_objects = true, .steered = true},
       kFirst,
       kNone,
       "message_queued"},
      {"in circles, and nobody to ask",
       {.call_started = true, .has_calls = true, .repeated = true},
       kFirst,
       kNone,
       "repeated_calls"},
      {"the model cannot be had, another one can",
       {.failure = down},
       kFirst,
       {.can_fall_back = true},
       "fallback_model"},
      {"another model does not help a bad key",
       {.failure = failed(FailureClass::auth)},
       kFirst,
       {.can_fall_back = true},
       "model_error"},
      {"nor a bad request",
       {.failure = failed(FailureClass::invalid_request)},
       kFirst,
       {.can_fall_back = true},
       "model_error"},
      {"nor one that is too long",
       {.failure = full},
       kFirst,
       {.can_compact = true, .can_fall_back = true},
       "compacted"},
      {"once a call has started the run goes on from there",
       {.failure = down, .call_started = true, .has_calls = true},
       kFirst,
       {.can_fall_back = true},
       "reply_cut"},
      {"done, but the user said something", {.steered = true}, kFirst, kNone, "message_queued"},
      {"done, and something waited for that", {.queued = true}, kFirst, kNone, "message_queued"},
      {"done, with budget left", {.below_token_budget = true}, kFirst, kNone, "budget_continued"},
      {"the budget is for this task, what is queued comes after it",
       {.queued = true, .below_token_budget = true},
       kFirst,
       kNone,
       "budget_continued"},
      {"what steers is about this task",
       {.steered = true, .below_token_budget = true},
       kFirst,
       kNone,
       "message_queued"},
      {"an empty reply is nudged first", {.empty = true, .steered = true}, kFirst, kNone, "nudged"},
      {"calls, and the money is spent",
       {.has_calls = true, .over_cost_budget = true},
       kFirst,
       kNone,
       "max_budget"},
      {"done, and the money is spent", {.over_cost_budget = true}, kFirst, kNone, "completed"},
      {"turns are named before money",
       {.has_calls = true, .over_cost_budget = true},
       kFirst,
       {.max_turns = 1},
       "max_turns"},
      {"tool_use without a call", {.stop = S::tool_use}, kFirst, kNone, "completed"},
      {"paused", {.stop = S::pause_turn}, kFirst, kNone, "turn_paused"},
      {"paused too often",
       {.stop = S::pause_turn},
       {.turns = 6, .turn_paused = 5},
       kNone,
       "model_error"},
      {"empty", {.empty = true, .stop = S::end_turn}, kFirst, kNone, "nudged"},
      {"empty again",
       {.empty = true, .stop = S::end_turn},
       {.turns = 2, .nudged = 1},
       kNone,
       "model_error"},
      {"done", {.stop = S::end_turn}, kFirst, kNone, "completed"},
      {"done by a stop sequence", {.stop = S::stop_sequence}, kFirst, kNone, "completed"},
      {"done for an unknown reason", {.stop = S::unknown}, kFirst, kNone, "completed"},
      {"no more turns",
       {.has_calls = true, .stop = S::tool_use},
       {.turns = 3},
       {.max_turns = 3},
       "max_turns"},
      {"no more turns, but done",
       {.stop = S::end_turn},
       {.turns = 3},
       {.max_turns = 3},
       "completed"},
      {"a raise is a turn too",
       {.stop = S::max_tokens},
       {.turns = 1},
       {.max_turns = 1},
       "max_turns"},
      {"turns left", {.has_calls = true}, {.turns = 2}, {.max_turns = 3}, "next_turn"},
  };
}

}  // namespace

TEST_CASE("decide: each row") {
  for (const auto& row : rows()) {
    CAPTURE(row.situation);
    CHECK(name(decide(row.turn, row.spent, row.limits)) == row.expected);
  }
}

TEST_CASE("spend: counters in a row go back on a normal turn, the raise does not") {
  Spent spent{.turns = 4};
  spent = spend(spent, Transition::output_limit_raised);
  spent = spend(spent, Transition::output_resumed);
  spent = spend(spent, Transition::reply_cut);
  spent = spend(spent, Transition::turn_paused);
  spent = spend(spent, Transition::nudged);
  CHECK(spent.output_resumed == 1);
  CHECK(spent.reply_cut == 1);
  CHECK(spent.turn_paused == 1);
  CHECK(spent.nudged == 1);
  spent = spend(spent, Transition::next_turn);
  CHECK(spent.output_limit_raised);
  CHECK(spent.output_resumed == 0);
  CHECK(spent.reply_cut == 0);
  CHECK(spent.turn_paused == 0);
  CHECK(spent.nudged == 0);
  CHECK(spent.turns == 4);
}

TEST_CASE("spend: each repair has its counter, and they go back differently") {
  const auto repaired = [](Spent spent, FailureClass failure) {
    return spend(spent, Transition::request_repaired, failure);
  };
  Spent spent{.turns = 1, .compacted = true};
  spent = repaired(spent, FailureClass::image_refused);
  spent = repaired(spent, FailureClass::thinking_refused);
  spent = repaired(spent, FailureClass::output_limit_refused);
  CHECK(spent.images_replaced == 1);
  CHECK(spent.thinking_stripped == 1);
  CHECK(spent.output_limit_learnt == 1);
  CHECK(spent.compacted);  // no reply has fitted
  CHECK(repaired(Spent{}, FailureClass::too_large).images_replaced == 1);
  spent = spend(spent, Transition::next_turn);
  CHECK(spent.images_replaced == 0);
  CHECK(spent.thinking_stripped == 1);
  CHECK(spent.output_limit_learnt == 1);
  spent = spend(spent, Transition::fallback_model);
  CHECK(spent.thinking_stripped == 0);
  CHECK(spent.output_limit_learnt == 0);
}

TEST_CASE("outcomes: each ending has its kind") {
  CHECK(outcome_of(Ending::completed) == OutcomeKind::success);
  for (const auto ending : {Ending::aborted_streaming, Ending::aborted_tools, Ending::max_turns}) {
    CHECK(outcome_of(ending) == OutcomeKind::stopped);
  }
  for (const auto ending : {Ending::output_limit, Ending::prompt_too_long, Ending::image_error,
                            Ending::refused, Ending::model_error, Ending::internal_error}) {
    CHECK(outcome_of(ending) == OutcomeKind::error);
  }
}
