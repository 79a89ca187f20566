// Timers: the real Clock. Callbacks run on the io thread; after() and a timer's end may come from
// any thread and cost a lock: a stall clock that is renewed with every delta wakes nobody.
#pragma once

#include <asio/io_context.hpp>
#include <memory>

#include "base/clock.h"

namespace agentd::platform {

class TimerQueue final : public Clock {
 public:
  explicit TimerQueue(asio::io_context& context);
  /// Io thread gone or never started. Timers that still exist become inert.
  ~TimerQueue() override;

  TimePoint now() const override;
  std::chrono::system_clock::time_point wall() const override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay,
                                             std::function<void()> callback) override;

  struct Core;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace agentd::platform
