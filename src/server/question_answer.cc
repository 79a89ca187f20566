#include "server/question_answer.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"
#include "server/person_answer.h"
#include "server/printable.h"

namespace agentd::server {
namespace {

constexpr std::string_view kBetweenNumbers = ", \t";

// The options that `text` names by number; nothing if one of them is none. `text` holds digits and
// what may stand between them.
std::optional<QuestionAnswer> numbered(std::string_view text, const Question& question) {
  QuestionAnswer answer;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetweenNumbers), text.size());
    std::size_t number = 0;
    for (const char digit : text.substr(0, std::min<std::size_t>(end, 4))) {
      number = number * 10 + static_cast<std::size_t>(digit - '0');
    }
    if (number == 0 || number > question.options.size()) return std::nullopt;
    const std::string& label = question.options[number - 1].label;
    if (std::find(answer.labels.begin(), answer.labels.end(), label) == answer.labels.end()) {
      answer.labels.push_back(label);
    }
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(kBetweenNumbers), text.size()));
  }
  if (answer.labels.empty() || (answer.labels.size() > 1 && !question.multi_select)) {
    return std::nullopt;
  }
  return answer;
}

}  // namespace

std::optional<TypedAnswer> parse_question_answer(std::string_view line, const Question& question) {
  const std::string_view text = ascii::trimmed(line);
  if (text.empty()) return std::nullopt;
  TypedAnswer typed;
  if (text == "-" || text.starts_with("- ")) {
    typed.rejected = true;
    typed.message = ascii::trimmed(text.substr(1));
    return typed;
  }
  if (text.find_first_not_of("0123456789, \t") == std::string_view::npos) {
    auto chosen = numbered(text, question);
    if (!chosen) return std::nullopt;
    typed.answer = std::move(*chosen);
    return typed;
  }
  for (const QuestionOption& option : question.options) {
    if (option.label == text) {
      typed.answer.labels = {option.label};
      return typed;
    }
  }
  typed.answer.text = text;
  return typed;
}

std::string question_text(const Question& question, std::size_t number, std::size_t count) {
  std::string text = "? ";
  if (count > 1) text += "(" + std::to_string(number) + " of " + std::to_string(count) + ") ";
  text += printable(question.question);
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    const QuestionOption& option = question.options[i];
    text += "\n  " + std::to_string(i + 1) + ": " + printable(option.label);
    if (!option.description.empty()) text += " - " + printable(option.description);
    if (!option.preview) continue;
    std::string_view preview = *option.preview;
    while (!preview.empty()) {
      const std::size_t end = std::min(preview.find('\n'), preview.size());
      text += "\n       " + printable(preview.substr(0, end));
      preview.remove_prefix(std::min(end + 1, preview.size()));
    }
  }
  return text;
}

std::string question_prompt(const Question& question) {
  const std::string last = std::to_string(question.options.size());
  return (question.multi_select ? "Numbers from 1 to " + last + " (as 1,2)" : "1 to " + last) +
         ", or your own words; -: do not answer > ";
}

}  // namespace agentd::server
