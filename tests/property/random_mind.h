// RandomMind: replies that a model, a gateway or a broken network could give, drawn from a seed:
// text, thinking, good and bad calls, lying stop reasons, ends of every kind, at any place.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/event.h"

namespace agentd::test {

class RandomMind {
 public:
  explicit RandomMind(std::uint64_t seed) : source_(seed) {}

  /// All events of one reply. `calls` is advised: late in a run it ends more often.
  model::ModelEvents reply(std::size_t request_number);

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(source_); }
  bool one_in(int n) { return below(n) == 0; }

  bool always_cut = false;       // every reply is text that reaches the output limit
  bool in_circles = false;       // every reply makes the same call
  std::string used_id = "same";  // what calls are sometimes called that were called so before
  /// Calls to choose from: a tool's name and the JSON text of an input, good or bad.
  std::vector<std::pair<std::string, std::string>> menu = stand_in_menu();

 private:
  static std::vector<std::pair<std::string, std::string>> stand_in_menu();
  void add_block(model::ModelEvents& events, std::size_t request_number);
  void add_call(model::ModelEvents& events, std::size_t request_number);
  void add_end(model::ModelEvents& events);
  model::StopReason any_reason();

  std::mt19937_64 source_;
  int block_ = 0;
};

}  // namespace agentd::test
