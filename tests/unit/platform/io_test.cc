#include "platform/io.h"

#include <sys/wait.h>

#include <algorithm>

#include <csignal>
#include <future>
#include <mutex>

#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
using namespace std::chrono_literals;

TEST_CASE("posted tasks run in order on the io thread") {
  Io io;
  std::vector<int> order;
  std::promise<void> done;
  for (int i = 0; i < 100; ++i) io.post([&order, i] { order.push_back(i); });
  io.post([&] { done.set_value(); });
  done.get_future().wait();
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("timers ring in the order of their times; a destroyed one never") {
  Io io;
  std::vector<int> rung;
  std::promise<void> done;
  const auto late = io.clock().after(30ms, [&] { done.set_value(); });
  const auto second = io.clock().after(20ms, [&] { rung.push_back(2); });
  auto doomed = io.clock().after(15ms, [&] { rung.push_back(99); });
  const auto first = io.clock().after(10ms, [&] { rung.push_back(1); });
  doomed.reset();
  done.get_future().wait();
  CHECK(rung == std::vector<int>{1, 2});
}

TEST_CASE("a timer renewed many times rings once, and may outlive the io thread") {
  std::unique_ptr<Timer> survivor;
  std::promise<void> rang;
  int count = 0;
  {
    Io io;
    std::unique_ptr<Timer> timer;
    for (int i = 0; i < 10000; ++i) timer = io.clock().after(1h, [&] { ++count; });
    timer = io.clock().after(1ms, [&] {
      ++count;
      rang.set_value();
    });
    rang.get_future().wait();
    survivor = io.clock().after(1h, [&] { ++count; });
  }
  survivor.reset();
  CHECK(count == 1);
}

TEST_CASE("signals arrive on the io thread, each time") {
  Io io;
  std::mutex mutex;
  std::vector<int> got;
  std::promise<void> both;
  io.on_signal({SIGUSR1, SIGUSR2}, [&](int signal) {
    std::lock_guard lock(mutex);
    got.push_back(signal);
    if (got.size() == 2) both.set_value();
  });
  ::kill(::getpid(), SIGUSR1);
  ::kill(::getpid(), SIGUSR2);
  both.get_future().wait();
  std::lock_guard lock(mutex);
  std::sort(got.begin(), got.end());
  CHECK(got == std::vector<int>{SIGUSR1, SIGUSR2});
}

TEST_CASE("the end of a process is noticed, also of one that is gone already") {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  Io io;
  std::promise<void> gone;
  io.watch_process(pid, [&] { gone.set_value(); });
  ::kill(pid, SIGKILL);
  gone.get_future().wait();
  // Not one of ours: it is still there for whoever started it to reap.
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(WTERMSIG(status) == SIGKILL);
  std::promise<void> again;
  io.watch_process(pid, [&] { again.set_value(); });
  again.get_future().wait();
}

TEST_CASE("an io thread leaves no descriptor and no thread behind") {
  {
    const Io warm_up;
  }
  const std::size_t descriptors = open_descriptors();
  const std::size_t threads = entries("/proc/self/task");
  {
    Io io;
    io.on_signal({SIGUSR1}, [](int) {});
    io.watch_process(::getppid(), [] {});
    const auto timer = io.clock().after(1h, [] {});
  }
  CHECK(open_descriptors() == descriptors);
  CHECK(entries("/proc/self/task") == threads);
}
