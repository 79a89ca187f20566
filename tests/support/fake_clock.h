// FakeClock: a Clock whose time moves when a test says so. Timers run inside advance(), on the
// thread that calls it, in the order of their times.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "base/clock.h"

namespace agentd::test {

class FakeClock final : public Clock {
 public:
  FakeClock();
  ~FakeClock() override;

  TimePoint now() const override;
  std::chrono::system_clock::time_point wall() const override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay,
                                             std::function<void()> callback) override;

  /// Moves time and runs what is due on the way, timers set by timers included. Not reentrant.
  void advance(Duration by);

  /// How many timers are waiting.
  std::size_t pending() const;
  /// Waits (in real time, at most `limit`) until at least `count` timers are waiting: for a thread
  /// under test to have come so far. False if it did not.
  bool wait_pending(std::size_t count, Duration limit = Duration(10'000)) const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace agentd::test
