// TokenMind: the mind of a model whose every deed leaves a trace: each call that changes something
// writes a token that no other call writes, so that one that ran twice is seen. It keeps every
// request and judges it as the real API would.
#pragma once

#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "support/model_server.h"
#include "support/strict_api.h"

namespace agentd::testing {

class TokenMind {
 public:
  explicit TokenMind(std::uint32_t seed) : random_(seed) {}

  /// A connection's thread.
  test::ServerReply answer(const test::SeenRequest& request);

  std::vector<std::string> bodies() const;
  /// What the API had to say against requests.
  std::vector<std::string> refusals() const;
  /// The token that a call was to write; empty if it was to write none.
  std::string token_of(const std::string& tool_use_id) const;
  std::vector<std::string> tokens() const;

  /// A prompt that has this in it is answered with words alone.
  static constexpr const char* kOnlyWords = "Say goodbye.";

 private:
  std::string reply(bool only_words);
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  mutable std::mutex mutex_;  // guards all below
  std::mt19937 random_;
  test::StrictApi api_;
  std::vector<std::string> bodies_;
  std::vector<std::string> refusals_;
  std::map<std::string, std::string> tokens_;  // by tool_use id
  int calls_ = 0;
  int thoughts_ = 0;
};

}  // namespace agentd::testing
