#include "agent/waiting_messages.h"

#include <algorithm>
#include <iterator>

namespace agentd::agent {

bool WaitingMessages::remove(const std::string& id) {
  return std::erase_if(waiting_, [&](const UserMessage& message) { return message.id == id; }) > 0;
}

bool WaitingMessages::any(Delivery delivery) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const UserMessage& message) { return message.delivery == delivery; });
}

std::vector<UserMessage> WaitingMessages::take_steering() {
  const auto queued = std::stable_partition(
      waiting_.begin(), waiting_.end(),
      [](const UserMessage& message) { return message.delivery == Delivery::steer; });
  std::vector<UserMessage> steering(std::make_move_iterator(waiting_.begin()),
                                    std::make_move_iterator(queued));
  waiting_.erase(waiting_.begin(), queued);
  return steering;
}

void WaitingMessages::put_back(std::vector<UserMessage> messages) {
  waiting_.insert(waiting_.begin(), std::make_move_iterator(messages.begin()),
                  std::make_move_iterator(messages.end()));
}

std::optional<UserMessage> WaitingMessages::take_next_queued() {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [](const UserMessage& message) {
    return message.delivery == Delivery::queue;
  });
  if (found == waiting_.end()) return std::nullopt;
  UserMessage message = std::move(*found);
  waiting_.erase(found);
  return message;
}

}  // namespace agentd::agent
