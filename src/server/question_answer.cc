#include "server/question_answer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/ascii.h"
#include "server/printable.h"

namespace agentd::server {
namespace {

constexpr std::string_view kBetween = ", \t";
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kLetters = 26;

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of(kDigits) == std::string_view::npos;
}

// Options are numbered. Where a label is a number itself they are lettered, so that what is typed
// means one thing.
bool lettered(const Question& question) {
  return question.options.size() <= kLetters &&
         std::any_of(question.options.begin(), question.options.end(),
                     [](const QuestionOption& option) { return is_number(option.label); });
}

std::string mark(std::size_t index, bool letter) {
  return letter ? std::string(1, static_cast<char>('a' + index)) : std::to_string(index + 1);
}

bool is_mark(std::string_view word, bool letter) {
  if (!letter) return is_number(word);
  const char c = ascii::lowered(word.front());
  return word.size() == 1 && c >= 'a' && c <= 'z';
}

// Case aside, where that leaves no doubt.
const QuestionOption* labelled(std::string_view word, const Question& question) {
  const QuestionOption* found = nullptr;
  std::size_t count = 0;
  for (const QuestionOption& option : question.options) {
    if (option.label == word) return &option;
    if (ascii::lowered(option.label) != ascii::lowered(word)) continue;
    found = &option;
    ++count;
  }
  return count == 1 ? found : nullptr;
}

const QuestionOption* marked(std::string_view word, const Question& question, bool letter) {
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    if (mark(i, letter) == ascii::lowered(word)) return &question.options[i];
  }
  return nullptr;
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find_first_of(kBetween)));
    text.remove_prefix(words.back().size());
  }
}

// The options that all of `words` name; nothing if they are words of the person's own.
std::optional<tl::expected<QuestionAnswer, AnswerFault>> chosen(
    const std::vector<std::string_view>& words, const Question& question) {
  const bool letter = lettered(question);
  const bool marks = std::all_of(words.begin(), words.end(),
                                 [&](std::string_view word) { return is_mark(word, letter); });
  if (!marks && !question.multi_select) return std::nullopt;
  QuestionAnswer answer;
  for (const std::string_view word : words) {
    const QuestionOption* option = labelled(word, question);
    if (option == nullptr) option = marked(word, question, letter);
    if (option == nullptr) {
      if (!marks) return std::nullopt;
      return tl::unexpected(AnswerFault::no_such_option);
    }
    auto& labels = answer.labels;
    if (std::find(labels.begin(), labels.end(), option->label) == labels.end()) {
      labels.push_back(option->label);
    }
  }
  if (answer.labels.size() > 1 && !question.multi_select) {
    return tl::unexpected(AnswerFault::one_only);
  }
  return answer;
}

}  // namespace

tl::expected<TypedAnswer, AnswerFault> parse_question_answer(std::string_view line,
                                                             const Question& question) {
  const std::string_view text = ascii::trimmed(line);
  TypedAnswer typed;
  if (text == "-" || text.starts_with("- ")) {
    typed.rejected = true;
    typed.message = ascii::trimmed(text.substr(1));
    return typed;
  }
  if (const QuestionOption* option = labelled(text, question)) {
    typed.answer.labels = {option->label};
    return typed;
  }
  const auto words = words_in(text);
  if (words.empty()) return tl::unexpected(AnswerFault::nothing);
  if (auto options = chosen(words, question)) {
    if (!*options) return tl::unexpected(options->error());
    typed.answer = std::move(**options);
  } else {
    typed.answer.text = text;
  }
  return typed;
}

std::string_view explanation(AnswerFault fault) {
  switch (fault) {
    case AnswerFault::nothing:
      return "Nothing was typed.";
    case AnswerFault::no_such_option:
      return "There is no such option.";
    case AnswerFault::one_only:
      return "Only one of them can be chosen.";
  }
  return "";
}

std::string question_text(const Question& question, std::size_t number, std::size_t count) {
  std::string text = "? ";
  if (count > 1) text += "(" + std::to_string(number) + " of " + std::to_string(count) + ") ";
  text += printable(question.question);
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    const QuestionOption& option = question.options[i];
    text += "\n  " + mark(i, lettered(question)) + ": " + printable(option.label);
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
  const bool letter = lettered(question);
  const std::string first = mark(0, letter);
  const std::string range = first + " to " + mark(question.options.size() - 1, letter);
  const std::string several = (letter ? "Letters from " : "Numbers from ") + range + " (as " +
                              first + "," + mark(1, letter) + ")";
  return (question.multi_select ? several : range) + ", or your own words; -: do not answer > ";
}

}  // namespace agentd::server
