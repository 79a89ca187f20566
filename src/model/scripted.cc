#include "model/scripted.h"

#include <mutex>
#include <utility>

#include "model/demo.script.h"
#include "model/script_player.h"

namespace agentd::model {
namespace {

class NoCache final : public EncoderCache {};

// One reply being played. A timer's callback plays a step and sets the next timer.
class Playing : public std::enable_shared_from_this<Playing> {
 public:
  Playing(std::vector<ScriptStep> steps, Clock& clock, OnModelEvents on_events)
      : steps_(std::move(steps)), clock_(clock), on_events_(std::move(on_events)) {}

  void begin() {
    std::lock_guard lock(mutex_);
    arm();
  }
  void abandon() {
    std::lock_guard lock(mutex_);
    abandoned_ = true;
    timer_.reset();
  }
  void pause() {
    std::lock_guard lock(mutex_);
    paused_ = true;
  }
  void resume() {
    std::lock_guard lock(mutex_);
    if (!std::exchange(paused_, false)) return;
    arm();
  }

 private:
  void arm() {
    if (next_ == steps_.size()) return;
    timer_ = clock_.after(steps_[next_].delay, [weak = weak_from_this()] {
      if (const auto playing = weak.lock()) playing->play();
    });
  }

  void play() {
    std::lock_guard lock(mutex_);
    if (abandoned_ || paused_ || next_ == steps_.size()) return;
    ModelEvents events = std::move(steps_[next_++].events);
    arm();
    on_events_(std::move(events));
  }

  std::mutex mutex_;
  std::vector<ScriptStep> steps_;
  Clock& clock_;
  const OnModelEvents on_events_;
  std::size_t next_ = 0;
  std::unique_ptr<Timer> timer_;
  bool paused_ = false;
  bool abandoned_ = false;
};

class ScriptedStream final : public ModelStream {
 public:
  explicit ScriptedStream(std::shared_ptr<Playing> playing) : playing_(std::move(playing)) {}
  ~ScriptedStream() override { playing_->abandon(); }
  void pause() override { playing_->pause(); }
  void resume() override { playing_->resume(); }

 private:
  std::shared_ptr<Playing> playing_;
};

class Scripted final : public Provider {
 public:
  Scripted(Script script, Clock& clock) : script_(std::move(script)), clock_(clock) {}

  std::unique_ptr<EncoderCache> make_cache() const override { return std::make_unique<NoCache>(); }

  std::unique_ptr<ModelStream> send(const ModelRequest& request, EncoderCache&,
                                    OnModelEvents on_events) override {
    auto playing =
        std::make_shared<Playing>(steps_for(script_, request), clock_, std::move(on_events));
    playing->begin();
    return std::make_unique<ScriptedStream>(std::move(playing));
  }

 private:
  const Script script_;
  Clock& clock_;
};

}  // namespace

std::shared_ptr<Provider> make_scripted(Script script, Clock& clock) {
  return std::make_shared<Scripted>(std::move(script), clock);
}

std::string_view demo_script() {
  return embedded::demo;
}

}  // namespace agentd::model
