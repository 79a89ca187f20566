#include "support/fake_clock.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <utility>

namespace agentd::test {

struct FakeClock::State {
  using Key = std::pair<TimePoint, std::uint64_t>;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  // Not the real now: a test that used the real clock by mistake shall notice.
  TimePoint now = TimePoint(std::chrono::hours(1000));
  std::chrono::system_clock::time_point wall =
      std::chrono::sys_days(std::chrono::year(2026) / 1 / 15) + std::chrono::hours(12);
  std::uint64_t next = 0;
  std::map<Key, std::function<void()>> timers;
};

namespace {

class FakeTimer final : public Timer {
 public:
  FakeTimer(std::shared_ptr<FakeClock::State> state, FakeClock::State::Key key)
      : state_(std::move(state)), key_(key) {}
  ~FakeTimer() override {
    std::function<void()> dropped;  // destroyed without the lock: it may own anything
    std::lock_guard lock(state_->mutex);
    const auto found = state_->timers.find(key_);
    if (found == state_->timers.end()) return;
    dropped = std::move(found->second);
    state_->timers.erase(found);
  }

 private:
  std::shared_ptr<FakeClock::State> state_;
  FakeClock::State::Key key_;
};

}  // namespace

FakeClock::FakeClock() : state_(std::make_shared<State>()) {}
FakeClock::~FakeClock() = default;

TimePoint FakeClock::now() const {
  std::lock_guard lock(state_->mutex);
  return state_->now;
}

std::chrono::system_clock::time_point FakeClock::wall() const {
  std::lock_guard lock(state_->mutex);
  return state_->wall;
}

std::unique_ptr<Timer> FakeClock::after(Duration delay, std::function<void()> callback) {
  std::lock_guard lock(state_->mutex);
  const State::Key key{state_->now + delay, state_->next++};
  state_->timers.emplace(key, std::move(callback));
  state_->changed.notify_all();
  return std::make_unique<FakeTimer>(state_, key);
}

void FakeClock::advance(Duration by) {
  std::unique_lock lock(state_->mutex);
  const TimePoint end = state_->now + by;
  while (!state_->timers.empty() && state_->timers.begin()->first.first <= end) {
    const auto first = state_->timers.begin();
    state_->wall += std::chrono::duration_cast<std::chrono::system_clock::duration>(
        std::max(first->first.first, state_->now) - state_->now);
    state_->now = std::max(first->first.first, state_->now);
    const std::function<void()> callback = std::move(first->second);
    state_->timers.erase(first);
    lock.unlock();
    callback();
    lock.lock();
  }
  state_->wall +=
      std::chrono::duration_cast<std::chrono::system_clock::duration>(end - state_->now);
  state_->now = end;
}

std::size_t FakeClock::pending() const {
  std::lock_guard lock(state_->mutex);
  return state_->timers.size();
}

bool FakeClock::wait_pending(std::size_t count, Duration limit) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, limit, [&] { return state_->timers.size() >= count; });
}

}  // namespace agentd::test
