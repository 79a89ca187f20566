// Who may write a session: one, also while sessions of that name come and go.
#include "session/session_lock.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

TEST_CASE("it knows whether anybody else has held it") {
  Directory directory;
  const auto take = [&](const char* writer) {
    return value_of(SessionLock::take(directory.path, "s", writer));
  };
  CHECK(take("w1").is_new());
  const auto again = take("w1");
  CHECK(again.was_ours());
  CHECK(!again.is_new());
  CHECK(code_of(SessionLock::take(directory.path, "s", "w2")) == Code::session_locked);
}

TEST_CASE("one has it at a time, though its file is removed under those who wait") {
  Directory directory;
  std::atomic<int> holders{0};
  std::atomic<int> together{0};
  std::atomic<int> had{0};
  const auto contend = [&](const std::string& writer) {
    for (int i = 0; i < 3'000; ++i) {
      const auto lock = SessionLock::take(directory.path, "s", writer);
      if (!lock) continue;
      ++had;
      if (holders.fetch_add(1) != 0) ++together;
      std::this_thread::yield();
      holders.fetch_sub(1);
      forget_lock(directory.path, "s");
    }
  };
  std::vector<std::thread> threads;
  for (const char* writer : {"w1", "w2", "w3"}) threads.emplace_back(contend, writer);
  for (std::thread& thread : threads) thread.join();
  CHECK(together == 0);
  CHECK(had > 0);
}
