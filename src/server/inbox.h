// Inbox: what other threads ask of the reader thread: a run that ended, a signal, a client that is
// gone. They post and go on; the reader is woken from poll() and does it between two messages.
#pragma once

#include <functional>
#include <utility>

#include "base/mailbox.h"
#include "platform/wake.h"

namespace agentd::server {

class Inbox {
 public:
  using Task = std::function<void()>;

  /// Any thread. After close() tasks are dropped.
  void post(Task task) {
    if (tasks_.push(std::move(task))) wake_.wake();
  }

  /// The reader thread: does what was asked so far.
  void work() {
    while (auto task = tasks_.try_pop()) (*task)();
  }

  void close() { tasks_.close(); }

  /// What the reader waits on beside its descriptor.
  platform::Wake& wake() { return wake_; }

 private:
  Mailbox<Task> tasks_;
  platform::Wake wake_;
};

}  // namespace agentd::server
