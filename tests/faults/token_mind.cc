#include "token_mind.h"

#include <chrono>
#include <thread>

#include "support/anthropic_replies.h"

namespace agentd::testing {

using test::AnthropicReply;
using test::ServerReply;

ServerReply TokenMind::answer(const test::SeenRequest& request) {
  std::chrono::milliseconds thinks{0};
  ServerReply reply;
  {
    std::lock_guard lock(mutex_);
    bodies_.push_back(request.body);
    if (auto refused = api_.refuse(request)) {
      refusals_.push_back(refused->body);
      return *refused;
    }
    const auto last_prompt = request.body.rfind("go on #");
    const auto goodbye = request.body.rfind(kOnlyWords);
    reply = ServerReply::stream(this->reply(
        goodbye != std::string::npos && last_prompt != std::string::npos && goodbye > last_prompt));
    if (below(2) == 0) reply.random_cuts(static_cast<std::uint32_t>(below(1'000'000)));
    thinks = std::chrono::milliseconds(below(4));
  }
  std::this_thread::sleep_for(thinks);  // a kill may come while nothing but the request is out
  return reply;
}

std::string TokenMind::reply(bool only_words) {
  AnthropicReply reply;
  if (below(2) == 0) {
    const std::string number = std::to_string(++thoughts_);
    reply.thinking("Thought " + number + ".", "SIG" + number);
    api_.issued_thinking("Thought " + number + ".", "SIG" + number);
  }
  if (only_words || below(3) > 0) reply.text("Now step " + std::to_string(calls_) + " of many.");
  if (only_words || below(8) == 0) return reply.text("That was it for now.").str();
  const int count = 1 + below(3);
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(++calls_);
    const std::string id = "toolu_" + number;
    const std::string token = "T" + number + ";";
    switch (below(6)) {
      case 0:
        reply.tool_use(id, "Read", {{"file_path", "notes.txt"}});
        break;
      case 1:
        reply.tool_use(id + "r", "Read", {{"file_path", "plan.txt"}});
        reply.tool_use(
            id, "Edit",
            {{"file_path", "plan.txt"}, {"old_string", "END"}, {"new_string", token + "\nEND"}});
        tokens_[id] = token;
        break;
      case 2:
        reply.tool_use(id, "Bash", {{"command", "echo '" + token + "' >> tokens.txt; sleep 0.01"}});
        tokens_[id] = token;
        break;
      case 3:
        reply.tool_use(id, "Bash", {{"command", "sleep 0.01; echo '" + token + "' >> tokens.txt"}});
        tokens_[id] = token;
        break;
      default:
        reply.tool_use(id, "Bash", {{"command", "echo '" + token + "' >> tokens.txt; echo done"}});
        tokens_[id] = token;
    }
  }
  return reply.str();
}

std::vector<std::string> TokenMind::bodies() const {
  std::lock_guard lock(mutex_);
  return bodies_;
}

std::vector<std::string> TokenMind::refusals() const {
  std::lock_guard lock(mutex_);
  return refusals_;
}

std::string TokenMind::token_of(const std::string& tool_use_id) const {
  std::lock_guard lock(mutex_);
  const auto found = tokens_.find(tool_use_id);
  return found == tokens_.end() ? "" : found->second;
}

std::vector<std::string> TokenMind::tokens() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [id, token] : tokens_) all.push_back(token);
  return all;
}

}  // namespace agentd::testing
