// A request that the endpoint refused for a part of it (images, thinking, the output limit) is made
// again without that part: what goes, and what people and the model are told of it. Run's thread,
// from within decide and compaction.
#include <algorithm>

#include "agent/loop.h"
#include "agent/texts.h"
#include "context/view.h"

namespace agentd::agent {

Limits Loop::limits(const std::optional<model::ModelFailure>& failure) const {
  Limits limits{
      .max_turns = options_.max_turns,
      .can_raise_output = answering_.output_limit < answering_.now.facts.maximum_output,
      .can_compact = may_compact(),
      .can_fall_back = answering_.fallbacks_used < options_.fallback_models.size(),
      .model_chosen = answering_.chosen.has_value(),
  };
  if (!failure) return limits;  // the view is long, and only looked at for what was refused
  const auto& view = conversation_.history.view();
  limits.has_images = context::has_images(view);
  limits.has_thinking = answering_.now.facts.adaptive_thinking || context::has_thinking(view);
  limits.can_lower_output =
      failure->allowed_output && *failure->allowed_output < answering_.output_limit;
  return limits;
}

// decide has found that there is something to take out.
void Loop::repair_request(const model::ModelFailure& failure) {
  if (failure.failure_class == model::FailureClass::thinking_refused) {
    leave_thinking_out(failure);
  } else if (failure.failure_class == model::FailureClass::output_limit_refused) {
    learn_output_limit(failure);
  } else {
    conversation_.history.replace_images(texts::kImageRefused);
    tell_of_repair(model::FailureClass::image_refused,
                   "The model's endpoint refused an image (" + failure.message +
                       "). The images were taken out of what the model is sent; a note stands in "
                       "the place of each.");
  }
}

// Where none was sent it is the wish for thinking that is refused.
void Loop::leave_thinking_out(const model::ModelFailure& failure) {
  const bool stripped = conversation_.history.strip_thinking();
  if (!stripped) answering_.now.facts.adaptive_thinking = false;
  tell_of_repair(failure.failure_class,
                 "The model's endpoint refused thinking (" + failure.message + "). " +
                     (stripped ? "The thinking of earlier replies was taken out of what the model "
                                 "is sent."
                               : "The model is asked without it for the rest of this run."));
}

// For this process: later runs, of other sessions too, ask for no more.
void Loop::learn_output_limit(const model::ModelFailure& failure) {
  answering_.output_limit = *failure.allowed_output;
  answering_.now.facts.maximum_output = answering_.output_limit;
  answering_.now.facts.default_output =
      std::min(answering_.now.facts.default_output, answering_.output_limit);
  if (answering_.now.output_limits)
    answering_.now.output_limits->learn(answering_.now.name, answering_.output_limit);
  tell_of_repair(failure.failure_class, answering_.now.name + " writes at most " +
                                            std::to_string(answering_.output_limit) +
                                            " tokens at once (" + failure.message +
                                            "): no more is asked of it.");
}

void Loop::tell_of_repair(model::FailureClass refused, std::string message) {
  emit(Notice{NoticeLevel::warning, std::string(model::to_string(refused)), std::move(message)});
}

}  // namespace agentd::agent
