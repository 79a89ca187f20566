#include "server/person_answer.h"

#include "base/ascii.h"

namespace agentd::server {
namespace {}  // namespace

std::optional<agent::ApprovalAnswer> parse_person_answer(std::string_view line) {
  const std::string_view text = ascii::trimmed(line);
  const std::string_view first_word = text.substr(0, text.find_first_of(" \t,"));
  const std::string word = ascii::lowered(first_word);
  const bool alone = first_word.size() == text.size();
  agent::ApprovalAnswer answer;
  if (word == "n" || word == "no") {
    std::string_view words = ascii::trimmed(text.substr(first_word.size()));
    if (words.starts_with(',')) words = ascii::trimmed(words.substr(1));
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
