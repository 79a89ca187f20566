// Question: what the model asks the user in the middle of its work, and what they answer. Values
// and a pure check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace agentd {

struct QuestionOption {
  std::string label;  // unique in its question
  std::string description;
  std::optional<std::string> preview;  // what it would look like: code, a layout
};

struct Question {
  std::string question;
  std::string header;  // a word or two, to show where there is little room
  std::vector<QuestionOption> options;
  bool multi_select = false;
};

/// To one question: what was chosen of its options, words of the user's own, or both.
struct QuestionAnswer {
  std::vector<std::string> labels;
  std::string text;
};

/// What is wrong with `answers` as an answer to each of `questions`, in their order; `where` is the
/// place in the list: `answers[1].labels[0]`.
std::optional<Error> answers_fault(const std::vector<Question>& questions,
                                   const std::vector<QuestionAnswer>& answers);

}  // namespace agentd
