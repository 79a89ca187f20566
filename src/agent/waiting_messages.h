// WaitingMessages: what the user said while a run was going on, until the model is told. A message
// to steer goes along with the next turn; a queued one begins a turn of its own when the run would
// otherwise end. A value of the run's thread; no I/O.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "message/message.h"

namespace agentd::agent {

enum class Delivery { steer, queue };

struct UserMessage {
  std::string id;  // unique in the run
  std::vector<Block> blocks;
  Delivery delivery = Delivery::steer;
};

class WaitingMessages {
 public:
  void add(UserMessage message) { waiting_.push_back(std::move(message)); }
  /// False if it is not here (any more).
  bool remove(const std::string& id);

  bool any(Delivery delivery) const;
  /// All that steer, in the order they came.
  std::vector<UserMessage> take_steering();
  std::optional<UserMessage> take_next_queued();
  /// Taken, and not told after all: in front, as they were.
  void put_back(std::vector<UserMessage> messages);
  /// What the model was never told, in the order it came.
  std::vector<UserMessage> take_rest() { return std::exchange(waiting_, {}); }

 private:
  std::vector<UserMessage> waiting_;
};

}  // namespace agentd::agent
