// How a run ends, in words for people: what happened and what to do next. Run's thread.
#include <algorithm>

#include "agent/loop.h"
#include "model/cost.h"
#include "model/failure_advice.h"

namespace agentd::agent {

RunEnded Loop::ended(Ending ending) {
  if (ending == Ending::prompt_too_long || ending == Ending::blocking_limit) {
    conversation_.window_exceeded =
        std::max(conversation_.window_exceeded, answering_.now.facts.context_window);
  }
  return RunEnded{ending, why(ending), spent_.turns, expenses_.usage, {}};
}

std::string Loop::given_up_note() const {
  if (cancel_.given_up.empty()) return {};
  std::string text = "These did not stop and were given up:";
  for (const auto& name : cancel_.given_up) text += " " + name;
  return text;
}

std::string Loop::why(Ending ending) const {
  switch (ending) {
    case Ending::completed:
      return {};
    case Ending::aborted_streaming:
    case Ending::aborted_tools:
      return given_up_note();
    case Ending::blocked:
      return "A call was denied. Start again on this session to go on, and say what to do instead.";
    case Ending::hook_stopped:
    case Ending::stop_hook_prevented:
      return "A hook ended the run" +
             (executor_.stopped_by_hook() && !executor_.stopped_by_hook()->empty()
                  ? ": " + *executor_.stopped_by_hook()
              : turn_hooks_.reason.empty() ? "."
                                           : ": " + turn_hooks_.reason);
    case Ending::repeated_calls:
      return "The model made the same calls again and again. Start again on this session and tell "
             "it what to do differently.";
    case Ending::max_budget:
      return "Stopped: the run has cost " + model::usd(expenses_.usd) + ", and " +
             model::usd(*options_.max_budget_usd) +
             " was allowed (maxBudgetUsd, --max-budget-usd). Start again on this session to go on.";
    case Ending::max_turns:
      return "Stopped after " + std::to_string(spent_.turns) +
             (spent_.turns == 1 ? " turn" : " turns") +
             ", the most that was allowed. Raise the limit (maxTurns, --max-turns), or start again "
             "on this session to go on.";
    case Ending::output_limit:
      return "The reply was cut by the model's output limit again and again. Ask for less at once.";
    case Ending::prompt_too_long:
      return "The conversation no longer fits the model's context window (" +
             std::to_string(answering_.now.facts.context_window) +
             " tokens), and could not be summed up. Start a new session, or go on with a model "
             "that has a larger window.";
    case Ending::blocking_limit:
      return "The model's context window (" + std::to_string(answering_.now.facts.context_window) +
             " tokens) is full, and compaction is " +
             (options_.auto_compact ? "not getting anywhere" : "off (autoCompact)") +
             ". Use agent/compact, or start a new session.";
    case Ending::image_error:
      return model::with_advice(*reply_.failure);
    case Ending::refused:
      return reply_.stop && !reply_.stop->explanation.empty() ? reply_.stop->explanation
                                                              : "The model refused.";
    case Ending::model_error:
      if (reply_.failure) return model::with_advice(*reply_.failure);
      if (reply_.empty()) return "The model gave no answer.";
      return "The model paused its turn again and again without finishing it.";
    case Ending::internal_error:
      return {};
  }
  return {};
}

}  // namespace agentd::agent
