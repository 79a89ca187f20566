// Clock: time as an interface, so that no test sleeps. The real one lives on the io thread
// (platform/io.h); tests hold a fake one whose time moves when they say so.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace agentd {

using Duration = std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

/// A pending callback. Destroying it cancels the callback; a callback already running finishes,
/// and the destructor does not wait for it.
class Timer {
 public:
  virtual ~Timer() = default;
};

class Clock {
 public:
  virtual ~Clock() = default;

  virtual TimePoint now() const = 0;
  virtual std::chrono::system_clock::time_point wall() const = 0;

  /// Calls `callback` once, after `delay`, on a thread of the clock's: it may only post a message.
  [[nodiscard]] virtual std::unique_ptr<Timer> after(Duration delay,
                                                     std::function<void()> callback) = 0;
};

}  // namespace agentd
