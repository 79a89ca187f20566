#include "rpc/outbox.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "platform/stdio.h"
#include "platform/wake.h"
#include "rpc/queued_frame.h"
#include "wire/text.h"

namespace agentd::rpc {
namespace {

// Frames are taken from the queue in batches of about this size; what is taken can no longer be
// joined, so a batch is small.
constexpr std::size_t kBatchBytes = 16 * 1024;
// A delta looks for a frame to join among this many of its run.
constexpr std::size_t kMaxOpen = 16;
// After this long without a frame, the next one's sender writes it itself.
constexpr std::chrono::microseconds kPause{500};

std::string why_lost(const platform::WriteStep& step) {
  if (step.kind == platform::WriteStep::Kind::closed) return "it closed its end";
  return std::string("writing to it failed: ") + std::strerror(step.error);
}

}  // namespace

struct RunChannel::State {
  std::weak_ptr<Outbox::Core> outbox;
  std::string params;  // `"sessionId":"...","runId":"...","seq":`
  std::shared_ptr<FlowGate> gate;
  // Under the outbox's lock:
  std::uint64_t seq = 0;
  std::size_t unsent = 0;
  bool gate_closed = false;
  std::vector<QueuedFrame*> open;  // unsent deltas since the last frame that is none
};

struct Outbox::Core {
  Core(int descriptor, std::function<void(std::string)> on_gone, OutboxLimits bounds)
      : fd(descriptor),
        direct(platform::can_write_if_room(descriptor)),
        limits(bounds),
        gone(std::move(on_gone)) {}

  // Any thread.
  void send(std::string body, const std::shared_ptr<RunChannel::State>& run);
  void notify(const std::shared_ptr<RunChannel::State>& run, std::string_view method,
              std::string_view fields);
  void delta(const std::shared_ptr<RunChannel::State>& run, const Delta& delta);

  // Under the lock.
  QueuedFrame& enqueue(QueuedFrame frame);
  QueuedFrame* frame_to_join(RunChannel::State& run, const Delta& delta);
  void count(RunChannel::State& run, std::size_t bytes);
  void count(std::size_t bytes);
  void uncount(RunChannel::State& run, std::size_t bytes);
  void uncount_batch();
  void drop_everything();
  void take_batch();
  bool written_here();
  bool writer_sleeps();

  // The writer thread.
  void write_frames();
  bool wait_for_frames();
  bool write_batch();
  void batch_written();
  void give_up(std::string why);

  const int fd;
  const bool direct;  // a sender may write, as that cannot block
  const OutboxLimits limits;
  std::function<void(std::string)> gone;  // called by the writer thread, once
  platform::Wake wake;
  std::thread thread;

  std::mutex mutex;
  Framing framing = Framing::headers;
  std::deque<QueuedFrame> queue;
  std::size_t unsent = 0;  // queue and batch
  bool idle = false;       // the writer waits for frames: wake it
  bool closing = false;
  bool out_of_time = false;  // closing took too long
  bool ended = false;        // the writer has left its loop
  std::condition_variable writer_ended;
  bool all_written = false;         // when the writer ended
  std::optional<std::string> lost;  // why nobody reads any more

  std::chrono::steady_clock::time_point last_frame;

  // The writer thread's own; while it is idle, of whoever holds the lock.
  std::string batch;  // what is being written
  std::vector<std::pair<std::shared_ptr<RunChannel::State>, std::size_t>> batch_runs;
};

// ---- what comes in -------------------------------------------------------------------------

void Outbox::Core::send(std::string body, const std::shared_ptr<RunChannel::State>& run) {
  bool sleeping = false;
  {
    std::lock_guard lock(mutex);
    if (lost || closing) return;
    QueuedFrame frame;
    frame.run = run;
    frame.body = std::move(body);
    if (run) run->open.clear();
    enqueue(std::move(frame));
    sleeping = writer_sleeps();
  }
  if (sleeping) wake.wake();
}

void Outbox::Core::notify(const std::shared_ptr<RunChannel::State>& run, std::string_view method,
                          std::string_view fields) {
  bool sleeping = false;
  {
    std::lock_guard lock(mutex);
    if (lost || closing) return;
    QueuedFrame frame;
    frame.run = run;
    frame.body.reserve(160 + run->params.size() + fields.size());
    begin_notification(frame.body, run->params, ++run->seq, method, fields);
    frame.body += "}}";
    run->open.clear();
    enqueue(std::move(frame));
    sleeping = writer_sleeps();
  }
  if (sleeping) wake.wake();
}

void Outbox::Core::delta(const std::shared_ptr<RunChannel::State>& run, const Delta& delta) {
  bool sleeping = false;
  {
    std::lock_guard lock(mutex);
    if (lost || closing) return;
    if (QueuedFrame* frame = frame_to_join(*run, delta)) {
      const std::size_t before = frame->size();
      add_text(*frame, delta, limits.lossy_frame);
      const std::size_t after = frame->size();
      if (after > before) count(*run, after - before);
      if (after < before) uncount(*run, before - after);
    } else {
      QueuedFrame fresh = open_delta(run->params, ++run->seq, delta);
      fresh.run = run;
      add_text(fresh, delta, limits.lossy_frame);
      if (run->open.size() == kMaxOpen) run->open.erase(run->open.begin());
      run->open.push_back(&enqueue(std::move(fresh)));
    }
    sleeping = writer_sleeps();
  }
  if (sleeping) wake.wake();
}

// True if the writer has to be woken for what is queued.
bool Outbox::Core::writer_sleeps() {
  return idle && !written_here() && std::exchange(idle, false);
}

// The first frame after a pause is written by its sender: the client has it one change of threads
// sooner (some 0.05 ms of the 0.2 ms a delta takes). In a burst the writer is better, as frames
// join while they wait for it. False: the writer has to write, all of it or the rest.
bool Outbox::Core::written_here() {
  const auto now = std::chrono::steady_clock::now();
  const bool pause_before = now - std::exchange(last_frame, now) >= kPause;
  if (!direct || !pause_before) return false;
  take_batch();
  batch.erase(0, platform::write_if_room(fd, batch));
  if (!batch.empty() || !queue.empty()) return false;
  uncount_batch();
  return true;
}

QueuedFrame* Outbox::Core::frame_to_join(RunChannel::State& run, const Delta& delta) {
  for (auto frame = run.open.rbegin(); frame != run.open.rend(); ++frame) {
    if (joins(**frame, delta)) return *frame;
  }
  return nullptr;
}

QueuedFrame& Outbox::Core::enqueue(QueuedFrame frame) {
  QueuedFrame& queued = queue.emplace_back(std::move(frame));
  if (queued.run) {
    count(*queued.run, queued.size());
  } else {
    count(queued.size());
  }
  return queued;
}

void Outbox::Core::count(RunChannel::State& run, std::size_t bytes) {
  run.unsent += bytes;
  if (run.gate && !run.gate_closed && run.unsent > limits.run_close) {
    run.gate_closed = true;
    run.gate->close();
  }
  count(bytes);
}

void Outbox::Core::count(std::size_t bytes) {
  unsent += bytes;
  if (unsent <= limits.gone || lost) return;
  lost = "more than " + std::to_string(limits.gone / (1024 * 1024)) + " MB wait unread";
  wake.wake();
}

// The gate is opened under our lock, so that it cannot be closed in between and stay wrong; those
// who wait at it only post, as FlowGate asks.
void Outbox::Core::uncount(RunChannel::State& run, std::size_t bytes) {
  run.unsent -= bytes;
  unsent -= bytes;
  if (run.gate_closed && run.unsent <= limits.run_close / 2) {
    run.gate_closed = false;
    run.gate->open();
  }
}

// ---- what goes out -------------------------------------------------------------------------

void Outbox::Core::write_frames() {
  while (wait_for_frames()) {
    if (!write_batch()) break;
    batch_written();
  }
  std::string why;
  {
    std::lock_guard lock(mutex);
    all_written = unsent == 0 && !lost;
    drop_everything();
    if (lost) why = *lost;
    closing = true;  // nothing is taken that nobody writes
    ended = true;
  }
  writer_ended.notify_all();
  if (why.empty()) return;
  log::info("outbox: the client is gone: " + why);
  gone(why);
}

// False when there is nothing more to write, now or ever.
bool Outbox::Core::wait_for_frames() {
  while (true) {
    {
      std::lock_guard lock(mutex);
      idle = false;
      if (lost) return false;
      if (batch.empty()) take_batch();
      if (!batch.empty()) return true;
      if (closing) return false;
      idle = true;
    }
    const platform::WriteStep step = platform::wait_idle(fd, wake);
    if (step.kind != platform::WriteStep::Kind::woken) {
      give_up(why_lost(step));
      return false;
    }
  }
}

void Outbox::Core::take_batch() {
  while (!queue.empty() && batch.size() < kBatchBytes) {
    QueuedFrame frame = std::move(queue.front());
    const std::size_t counted = frame.size();
    if (frame.delta) {
      std::erase(frame.run->open, &queue.front());
      close_delta(frame, limits.lossy_frame);
    }
    queue.pop_front();
    append_frame(batch, framing, frame.body);
    batch_runs.emplace_back(std::move(frame.run), counted);
  }
}

// False if nobody reads any more, or time is up.
bool Outbox::Core::write_batch() {
  std::string_view rest = batch;
  while (!rest.empty()) {
    const platform::WriteStep step = platform::write_or_wake(fd, wake, rest);
    switch (step.kind) {
      case platform::WriteStep::Kind::wrote:
        rest.remove_prefix(step.bytes);
        break;
      case platform::WriteStep::Kind::woken: {
        std::lock_guard lock(mutex);
        if (lost || out_of_time) return false;
        break;
      }
      case platform::WriteStep::Kind::closed:
      case platform::WriteStep::Kind::failed:
        give_up(why_lost(step));
        return false;
    }
  }
  return true;
}

void Outbox::Core::batch_written() {
  std::lock_guard lock(mutex);
  batch.clear();
  uncount_batch();
}

void Outbox::Core::uncount_batch() {
  for (auto& [run, bytes] : batch_runs) {
    if (run) {
      uncount(*run, bytes);
    } else {
      unsent -= bytes;
    }
  }
  batch_runs.clear();
}

void Outbox::Core::give_up(std::string why) {
  std::lock_guard lock(mutex);
  if (!lost) lost = std::move(why);
}

// Nobody waits at a gate for a client that is gone.
void Outbox::Core::drop_everything() {
  uncount_batch();
  for (QueuedFrame& frame : queue) {
    if (frame.run) {
      frame.run->open.clear();
      uncount(*frame.run, frame.size());
    } else {
      unsent -= frame.size();
    }
  }
  queue.clear();
}

// ---- the outside ---------------------------------------------------------------------------

void RunChannel::notify(std::string_view method, std::string_view fields) {
  if (const auto outbox = state_->outbox.lock()) outbox->notify(state_, method, fields);
}

void RunChannel::delta(const Delta& delta) {
  if (const auto outbox = state_->outbox.lock()) outbox->delta(state_, delta);
}

void RunChannel::send(std::string body) {
  if (const auto outbox = state_->outbox.lock()) outbox->send(std::move(body), state_);
}

Outbox::Outbox(int fd, std::function<void(std::string)> gone, OutboxLimits limits)
    : core_(std::make_shared<Core>(fd, std::move(gone), limits)) {
  core_->thread = std::thread([core = core_.get()] { core->write_frames(); });
}

Outbox::~Outbox() {
  drain(std::chrono::milliseconds(0));
}

void Outbox::set_framing(Framing framing) {
  std::lock_guard lock(core_->mutex);
  core_->framing = framing == Framing::automatic ? Framing::headers : framing;
}

void Outbox::send(std::string body) {
  core_->send(std::move(body), nullptr);
}

RunChannel Outbox::open_run(std::string_view session_id, std::string_view run_id,
                            std::shared_ptr<FlowGate> gate) {
  auto state = std::make_shared<RunChannel::State>();
  state->outbox = core_;
  state->params = R"("sessionId":)";
  wire::append_string(state->params, session_id);
  state->params += R"(,"runId":)";
  wire::append_string(state->params, run_id);
  state->params += R"(,"seq":)";
  state->gate = std::move(gate);
  return RunChannel(std::move(state));
}

bool Outbox::drain(std::chrono::milliseconds limit) {
  if (!core_->thread.joinable()) return core_->all_written;
  std::unique_lock lock(core_->mutex);
  core_->closing = true;
  core_->wake.wake();
  if (!core_->writer_ended.wait_for(lock, limit, [this] { return core_->ended; })) {
    core_->out_of_time = true;
    core_->wake.wake();
  }
  lock.unlock();
  core_->thread.join();
  return core_->all_written;
}

}  // namespace agentd::rpc
