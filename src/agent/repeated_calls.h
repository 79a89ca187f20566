// RepeatedCalls: notices a model that goes in circles: the same call in three turns in a row, or
// two calls in turns (A B A B). Same means: the same tool with the same input as canonical JSON.
// Twice in one reply does not count: only a turn later the model knows the result. A value.
#pragma once

#include <array>
#include <set>
#include <string>

#include "message/message.h"

namespace agentd::agent {

class RepeatedCalls {
 public:
  void begin_turn();
  /// The reply is asked for again: what its first attempt called does not count.
  void begin_turn_again() { turns_[0].clear(); }
  /// Takes note of a call of this turn; true if with it the model goes in a circle.
  bool add(const std::string& tool, const Json& input);
  /// Somebody looked and wants it so: counting begins anew.
  void forget();

 private:
  std::array<std::set<std::string>, 4> turns_;  // [0] is this turn, then the ones before
};

}  // namespace agentd::agent
