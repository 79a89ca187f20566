#include "agent/repeated_calls.h"

#include <algorithm>

#include "wire/text.h"

namespace agentd::agent {

void RepeatedCalls::begin_turn() {
  std::rotate(turns_.begin(), turns_.end() - 1, turns_.end());
  turns_[0].clear();
}

bool RepeatedCalls::add(const std::string& tool, const Json& input) {
  std::string call = tool + '\n';
  wire::append_json(call, input);  // members sorted: the order a model writes them in says nothing
  const auto made = [&](std::size_t turns_ago) { return turns_[turns_ago].count(call) > 0; };
  const auto another_twice = [&] {
    return std::any_of(turns_[1].begin(), turns_[1].end(),
                       [&](const std::string& other) { return turns_[3].count(other) > 0; });
  };
  const bool circle = made(2) && (made(1) || another_twice());
  turns_[0].insert(std::move(call));
  return circle;
}

void RepeatedCalls::forget() {
  turns_ = {};
}

}  // namespace agentd::agent
