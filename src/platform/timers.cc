#include "platform/timers.h"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace agentd::platform {

// What the queue and its timers share. `alarm` is used on the io thread only; the rest under the
// lock. `context` is null once the queue is gone.
struct TimerQueue::Core : std::enable_shared_from_this<Core> {
  using Key = std::pair<TimePoint, std::uint64_t>;  // the number tells equal times apart

  explicit Core(asio::io_context& io) : context(&io), alarm(std::in_place, io) {}

  std::mutex mutex;
  std::map<Key, std::function<void()>> pending;
  std::uint64_t last_number = 0;
  std::optional<TimePoint> armed;  // when the alarm will ring; empty while it is not set
  asio::io_context* context;
  std::optional<asio::steady_timer> alarm;

  // Under the lock.
  bool needs_arming() const {
    return !pending.empty() && (!armed || pending.begin()->first.first < *armed);
  }

  Key add(TimePoint when, std::function<void()> callback) {
    std::lock_guard lock(mutex);
    const Key key{when, ++last_number};
    pending.emplace(key, std::move(callback));
    if (context != nullptr && needs_arming()) {
      asio::post(*context, [self = shared_from_this()] { self->arm(); });
    }
    return key;
  }

  void remove(const Key& key) {
    std::function<void()> doomed;  // destroyed outside the lock
    std::lock_guard lock(mutex);
    const auto found = pending.find(key);
    if (found == pending.end()) return;
    doomed = std::move(found->second);
    pending.erase(found);
  }

  // Io thread.
  void arm() {
    TimePoint when;
    {
      std::lock_guard lock(mutex);
      if (context == nullptr || !needs_arming()) return;
      when = pending.begin()->first.first;
      armed = when;
    }
    alarm->expires_at(when);
    alarm->async_wait([weak = weak_from_this()](const std::error_code& error) {
      if (error) return;  // set anew for an earlier time
      if (auto self = weak.lock()) self->ring();
    });
  }

  // Io thread. Calls what is due, outside the lock.
  void ring() {
    {
      std::lock_guard lock(mutex);
      armed.reset();
    }
    while (auto callback = take_due()) callback();
    arm();
  }

  std::function<void()> take_due() {
    std::lock_guard lock(mutex);
    if (pending.empty() || pending.begin()->first.first > std::chrono::steady_clock::now()) {
      return nullptr;
    }
    return std::move(pending.extract(pending.begin()).mapped());
  }
};

namespace {

class QueuedTimer final : public Timer {
 public:
  QueuedTimer(std::shared_ptr<TimerQueue::Core> core, TimerQueue::Core::Key key)
      : core_(std::move(core)), key_(key) {}
  ~QueuedTimer() override { core_->remove(key_); }

 private:
  std::shared_ptr<TimerQueue::Core> core_;
  TimerQueue::Core::Key key_;
};

}  // namespace

TimerQueue::TimerQueue(asio::io_context& context) : core_(std::make_shared<Core>(context)) {}

TimerQueue::~TimerQueue() {
  std::map<Core::Key, std::function<void()>> doomed;
  std::lock_guard lock(core_->mutex);
  core_->context = nullptr;
  core_->alarm.reset();
  doomed.swap(core_->pending);
}

TimePoint TimerQueue::now() const {
  return std::chrono::steady_clock::now();
}

std::chrono::system_clock::time_point TimerQueue::wall() const {
  return std::chrono::system_clock::now();
}

std::unique_ptr<Timer> TimerQueue::after(Duration delay, std::function<void()> callback) {
  const auto key = core_->add(now() + delay, std::move(callback));
  return std::make_unique<QueuedTimer>(core_, key);
}

}  // namespace agentd::platform
