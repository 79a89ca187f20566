#include "message/question.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace agentd {
namespace {

Error fault(std::string where, std::string what) {
  return make_error(Code::invalid_input, std::move(what), std::move(where));
}

std::optional<Error> answer_fault(const Question& question, const QuestionAnswer& answer,
                                  const std::string& where) {
  if (answer.labels.empty() && ascii::blank(answer.text)) {
    return fault(where, "needs a label or a text");
  }
  if (answer.labels.size() > 1 && !question.multi_select) {
    return fault(where + ".labels", "this question takes one label (multiSelect is false)");
  }
  for (std::size_t i = 0; i < answer.labels.size(); ++i) {
    const std::string& label = answer.labels[i];
    const std::string at = where + ".labels[" + std::to_string(i) + "]";
    const bool known =
        std::any_of(question.options.begin(), question.options.end(),
                    [&](const QuestionOption& option) { return option.label == label; });
    if (!known) return fault(at, "is no label of this question; other words belong into text");
    const auto until = answer.labels.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(answer.labels.begin(), until, label) != until) {
      return fault(at, "stands there twice");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> answers_fault(const std::vector<Question>& questions,
                                   const std::vector<QuestionAnswer>& answers) {
  if (answers.size() != questions.size()) {
    return fault("answers", "expected one for each question, in their order: " +
                                std::to_string(questions.size()) + ", got " +
                                std::to_string(answers.size()));
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    auto found = answer_fault(questions[i], answers[i], "answers[" + std::to_string(i) + "]");
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace agentd
