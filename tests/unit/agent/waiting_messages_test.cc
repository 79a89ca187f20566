// What waits, in which order it is taken, and that none is lost.
#include "agent/waiting_messages.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::agent;

namespace {

UserMessage message(const std::string& id, Delivery delivery) {
  return {id, {TextBlock{"text of " + id}}, delivery};
}

std::string ids(const std::vector<UserMessage>& messages) {
  std::string all;
  for (const auto& each : messages) all += each.id;
  return all;
}

}  // namespace

TEST_CASE("messages that steer are taken together, in order; queued ones stay") {
  WaitingMessages waiting;
  waiting.add(message("a", Delivery::steer));
  waiting.add(message("b", Delivery::queue));
  waiting.add(message("c", Delivery::steer));
  waiting.add(message("d", Delivery::queue));
  CHECK(ids(waiting.take_steering()) == "ac");
  CHECK_FALSE(waiting.any(Delivery::steer));
  CHECK(waiting.any(Delivery::queue));
  CHECK(waiting.take_next_queued()->id == "b");
  CHECK(waiting.take_next_queued()->id == "d");
  CHECK_FALSE(waiting.take_next_queued());
}

TEST_CASE("a message is taken back once, and what is left is the rest in its order") {
  WaitingMessages waiting;
  waiting.add(message("a", Delivery::queue));
  waiting.add(message("b", Delivery::steer));
  waiting.add(message("c", Delivery::queue));
  CHECK(waiting.remove("c"));
  CHECK_FALSE(waiting.remove("c"));
  CHECK(ids(waiting.take_rest()) == "ab");
  CHECK(waiting.take_rest().empty());
}
