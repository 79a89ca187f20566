#include "server/person_answer.h"

namespace agentd::server {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string lower_case(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<agent::ApprovalAnswer> parse_person_answer(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::string_view first_word = text.substr(0, text.find_first_of(" \t,"));
  const std::string word = lower_case(first_word);
  const bool alone = first_word.size() == text.size();
  agent::ApprovalAnswer answer;
  if (word == "n" || word == "no") {
    std::string_view words = trimmed(text.substr(first_word.size()));
    if (words.starts_with(',')) words = trimmed(words.substr(1));
    answer.decision = agent::ApprovalDecision::deny;
    answer.message = words;
    return answer;
  }
  if (!alone || (word != "y" && word != "yes" && word != "s")) return std::nullopt;
  answer.decision = agent::ApprovalDecision::allow;
  if (word == "s") answer.scope = agent::ApprovalScope::session;
  return answer;
}

}  // namespace agentd::server
