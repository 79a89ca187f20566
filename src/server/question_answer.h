// What a person typed at a question of the model. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "message/question.h"

namespace agentd::server {

struct TypedAnswer {
  QuestionAnswer answer;
  bool rejected = false;  // they do not want to answer, this question or any other of the call
  std::string message;    // why, if they said so
};

/// Numbers of the options, as they were shown from 1 (several, with commas or blanks between them,
/// where the question takes several), a label, or any other words, which are the answer then. `-`
/// rejects, with the words behind it as the message. Nothing for an empty line and for numbers that
/// stand for no option.
std::optional<TypedAnswer> parse_question_answer(std::string_view line, const Question& question);

/// The question with its options, numbered: lines without control characters.
std::string question_text(const Question& question, std::size_t number, std::size_t count);

/// What to type: "1-3, or your own words; -: do not answer".
std::string question_prompt(const Question& question);

}  // namespace agentd::server
