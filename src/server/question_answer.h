// What a person typed at a question of the model. Pure.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "message/question.h"

namespace agentd::server {

struct TypedAnswer {
  QuestionAnswer answer;
  bool rejected = false;  // they do not want to answer, this question or any other of the call
  std::string message;    // why, if they said so
};

/// Why a line is no answer.
enum class AnswerFault {
  nothing,         // an empty line
  no_such_option,  // a number, or letter, that stands for none
  one_only,        // several, where the question takes one
};

/// A label (case aside), or the numbers of options as they were shown from 1 (several, with commas
/// or blanks between them, where the question takes several), or any other words, which are the
/// answer then. `-` rejects, with the words behind it as the message. Where a label is a number the
/// options have letters instead, so that a number means the label.
tl::expected<TypedAnswer, AnswerFault> parse_question_answer(std::string_view line,
                                                             const Question& question);

/// For the person who typed it.
std::string_view explanation(AnswerFault fault);

/// The question with its options, numbered or lettered: lines without control characters.
std::string question_text(const Question& question, std::size_t number, std::size_t count);

/// What to type: "1-3, or your own words; -: do not answer".
std::string question_prompt(const Question& question);

}  // namespace agentd::server
