// Wake: makes a thread that waits in poll() return. One eventfd: any thread wakes, the waiting
// thread polls fd() and clears it. Wakes add up to one.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "platform/fd.h"

namespace agentd::platform {

class Wake {
 public:
  /// Throws std::system_error if the system has no descriptor left, as std::thread does for a
  /// thread: whoever waited on it could never be woken. At the start of the process only.
  Wake() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  int fd() const { return event_.get(); }

  /// Any thread, signal handlers too.
  void wake() {
    const std::uint64_t one = 1;
    // Fails only when 2^64 - 1 wakes wait unread: then the waiter is awake anyway.
    [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
  }

  /// The waiting thread, before it looks at what it was woken for.
  void clear() {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
  }

 private:
  Fd event_;
};

}  // namespace agentd::platform
