// FlowGate: says "hold" from a consumer that has too much to producers that read from pipes and
// sockets, without anybody waiting on anybody's queue. Closed by the outbox when a run has too
// many bytes unsent, opened when they have gone. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace agentd {

class FlowGate {
 public:
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }

  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }

  /// Opens the gate and calls whoever waits, on this thread: they may only post a message.
  void open() {
    std::vector<std::function<void()>> waiting;
    {
      std::lock_guard lock(mutex_);
      closed_ = false;
      waiting.swap(waiting_);
    }
    for (auto& resume : waiting) resume();
  }

  /// True if the gate is open: go on. False: `resume` is called once, when it opens.
  bool pass_or_wait(std::function<void()> resume) {
    std::lock_guard lock(mutex_);
    if (!closed_) return true;
    waiting_.push_back(std::move(resume));
    return false;
  }

 private:
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace agentd
