#include "base/mailbox.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

using agentd::Mailbox;

TEST_CASE("messages come out in the order they went in") {
  Mailbox<int> box;
  CHECK_FALSE(box.try_pop());
  CHECK(box.push(1));
  CHECK(box.push(2));
  CHECK(box.try_pop() == 1);
  CHECK(box.pop() == 2);
  CHECK_FALSE(box.try_pop());
}

TEST_CASE("closing hands back what is left, in order, once") {
  Mailbox<std::unique_ptr<int>> box;
  for (int i = 0; i < 3; ++i) box.push(std::make_unique<int>(i));
  CHECK(**box.pop() == 0);
  const auto left = box.close();
  REQUIRE(left.size() == 2);
  CHECK(*left[0] == 1);
  CHECK(*left[1] == 2);
  CHECK(box.close().empty());
}

TEST_CASE("a closed mailbox takes nothing and leaves the message as it was") {
  Mailbox<std::unique_ptr<int>> box;
  box.close();
  auto message = std::make_unique<int>(7);
  CHECK_FALSE(box.push(std::move(message)));
  REQUIRE(message != nullptr);  // NOLINT(bugprone-use-after-move): not taken is the promise
  CHECK(*message == 7);
  CHECK_FALSE(box.pop());  // does not wait
  CHECK_FALSE(box.try_pop());
}

TEST_CASE("an owner that waits wakes for a message and for the end") {
  Mailbox<int> box;
  int sum = 0;
  std::thread owner([&] {
    while (const auto message = box.pop()) sum += *message;
  });
  int refused = 0;
  for (int i = 1; i <= 100; ++i) box.push(int(i));
  for (const int left : box.close()) refused += left;
  owner.join();
  CHECK(sum + refused == 5050);
}
