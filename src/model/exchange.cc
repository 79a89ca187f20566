#include "model/exchange.h"

#include <algorithm>
#include <utility>

#include "model/endpoint_failure.h"

namespace agentd::model {
namespace {

// Error bodies are short; a page of megabytes tells nothing more.
constexpr std::size_t kLargestRefusal = 64 * 1024;

// How long a whole reply (its stop reason was told) is given to say that it has
// ended, or to close.
constexpr Duration kClosing{2'000};

FailureClass class_of(platform::HttpFault::Kind kind) {
  switch (kind) {
    case platform::HttpFault::Kind::tls:
      return FailureClass::tls;
    case platform::HttpFault::Kind::address:
    case platform::HttpFault::Kind::connect:
    case platform::HttpFault::Kind::reset:
    case platform::HttpFault::Kind::other:
      return FailureClass::network;
  }
  return FailureClass::network;
}

std::string seconds(Duration duration) {
  if (duration.count() % 1000 != 0) return std::to_string(duration.count()) + " ms";
  return std::to_string(duration.count() / 1000) + " s";
}

}  // namespace

Exchange::Exchange(Clock& clock, const StallClocks& stalls, std::unique_ptr<ReplyDecoder> decoder,
                   OnModelEvents on_events, std::string host)
    : clock_(clock),
      stalls_(stalls),
      on_events_(std::move(on_events)),
      host_(std::move(host)),
      decoder_(std::move(decoder)),
      last_byte_(clock.now()),
      last_progress_(last_byte_) {}

std::shared_ptr<Exchange> Exchange::start(Clock& clock, const StallClocks& stalls,
                                          std::unique_ptr<ReplyDecoder> decoder,
                                          OnModelEvents on_events, std::string host) {
  std::shared_ptr<Exchange> exchange(
      new Exchange(clock, stalls, std::move(decoder), std::move(on_events), std::move(host)));
  std::lock_guard lock(exchange->mutex_);
  exchange->arm(exchange->deadline().at);
  return exchange;
}

void Exchange::head(platform::HttpHead head) {
  std::lock_guard lock(mutex_);
  last_byte_ = clock_.now();
  last_progress_ = last_byte_;
  head_ = std::move(head);
  // The clock that was set is the one for the first byte; the others may run out before it.
  if (!over()) arm(deadline().at);
}

void Exchange::data(std::string_view bytes) {
  std::lock_guard lock(mutex_);
  if (over()) return;
  last_byte_ = clock_.now();
  if (!success()) {
    refusal_.append(bytes.substr(0, kLargestRefusal - std::min(refusal_.size(), kLargestRefusal)));
    return;
  }
  const std::size_t before = decoder_->progress();
  const bool stop_was_told = decoder_->stop_told();
  ModelEvents events;
  decoder_->feed(bytes, events);
  if (decoder_->progress() != before) last_progress_ = last_byte_;
  if (decoder_->stop_told() && !stop_was_told && !decoder_->ended()) arm(deadline().at);
  deliver(std::move(events));
}

void Exchange::end(const platform::HttpFault* fault) {
  std::lock_guard lock(mutex_);
  closed_ = true;
  if (over()) return;
  finish_with(fault == nullptr ? std::nullopt : std::optional(broken(*fault)));
}

Exchange::Left Exchange::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  timer_.reset();
  return whole_ ? Left::whole : Left::unfinished;
}

void Exchange::pause() {
  std::lock_guard lock(mutex_);
  paused_ = true;
}

void Exchange::resume() {
  std::lock_guard lock(mutex_);
  paused_ = false;
  last_byte_ = clock_.now();
  last_progress_ = last_byte_;
  if (!over()) arm(deadline().at);
}

bool Exchange::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

void Exchange::deliver(ModelEvents events) {
  if (events.empty()) return;
  whole_ = std::holds_alternative<MessageEnded>(events.back());
  if (auto* failed = std::get_if<Failed>(&events.back())) complete(failed->failure);
  if (decoder_->ended()) timer_.reset();
  on_events_(std::move(events));
}

// Who does not speak the protocol, and the id by which the vendor's support finds the request.
void Exchange::complete(ModelFailure& failure) const {
  if (failure.failure_class == FailureClass::not_sse && !host_.empty()) {
    failure.message = "From " + host_ + ": " + failure.message;
  }
  const std::string id = head_ ? request_id(*head_) : std::string();
  if (id.empty() || failure.message.find(id) != std::string::npos) return;
  failure.message += " (request id " + id + ")";
}

void Exchange::finish_with(std::optional<ModelFailure> failure) {
  // A refusal says more than how its transfer ended.
  if (head_ && !success()) failure = refused();
  ModelEvents events;
  decoder_->finish(events, std::move(failure));
  deliver(std::move(events));
}

ModelFailure Exchange::refused() const {
  return failure_from_response(*head_, refusal_, clock_.wall());
}

ModelFailure Exchange::broken(const platform::HttpFault& fault) const {
  ModelFailure failure;
  failure.failure_class = class_of(fault.kind);
  failure.message = "The connection to the model failed: " + fault.message;
  if (fault.kind == platform::HttpFault::Kind::address) failure.should_retry = false;
  // Once a reply is under way it does not matter why the rest does not come.
  if (decoder_->progress() > 0) failure.failure_class = FailureClass::stream_truncated;
  return failure;
}

// The one among the clocks that runs out first. Pings are bytes but no progress.
Exchange::Deadline Exchange::deadline() const {
  using Of = Deadline::Of;
  if (!head_) return {last_byte_ + stalls_.first_byte, Of::first_byte};
  if (decoder_->stop_told()) return {last_progress_ + kClosing, Of::closing};
  const Deadline bytes{last_byte_ + stalls_.bytes, Of::bytes};
  const Deadline progress{last_progress_ + stalls_.progress, Of::progress};
  return progress.at < bytes.at ? progress : bytes;
}

// One timer, set anew only when it fires (or a shorter clock begins): bytes only move the
// deadline, so a stream of thousands of chunks sets a handful of timers.
void Exchange::arm(TimePoint at) {
  const auto delay = std::chrono::ceil<Duration>(at - clock_.now());
  timer_ = clock_.after(std::max(delay, Duration(0)), [weak = weak_from_this()] {
    if (const auto exchange = weak.lock()) exchange->timer_fired();
  });
}

void Exchange::timer_fired() {
  std::lock_guard lock(mutex_);
  if (over() || closed_ || paused_) return;  // resume sets it anew
  const Deadline next = deadline();
  if (next.at > clock_.now()) {
    arm(next.at);
  } else {
    stalled(next.of);
  }
}

void Exchange::stalled(Deadline::Of which) {
  ModelFailure failure;
  failure.failure_class = FailureClass::timeout_idle;
  switch (which) {
    case Deadline::Of::first_byte:
      failure.message = "The model did not answer within " + seconds(stalls_.first_byte) + ".";
      break;
    case Deadline::Of::bytes:
      failure.message = "The model's stream was silent for " + seconds(stalls_.bytes) + ".";
      break;
    case Deadline::Of::progress:
      failure.message =
          "The model's stream brought nothing but pings for " + seconds(stalls_.progress) + ".";
      break;
    case Deadline::Of::closing:
      break;  // the reply is whole: finish() sees to it
  }
  finish_with(std::move(failure));
}

}  // namespace agentd::model
