// Exchange: one request under way. The http thread brings the answer, the clock's thread
// the stalls, the run's thread may abandon it: whoever comes first decides, under the one lock.
// Emits each batch while it holds that lock, so that nothing comes after abandon(); receivers only
// post.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/provider.h"
#include "model/reply_decoder.h"
#include "platform/http.h"

namespace agentd::model {

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  /// `host` is named where what answers there is no such endpoint.
  static std::shared_ptr<Exchange> start(Clock& clock, const StallClocks& stalls,
                                         std::unique_ptr<ReplyDecoder> decoder,
                                         OnModelEvents on_events, std::string host);

  // http thread
  void head(platform::HttpHead head);
  void data(std::string_view bytes);
  void end(const platform::HttpFault* fault);

  // Any other thread
  enum class Left { whole, unfinished };
  /// No event comes after this returned. Tells whether the reply was whole.
  Left abandon();
  /// While paused, silence is our own doing.
  void pause();
  void resume();
  /// The response has come to its end on the wire.
  bool closed() const;

 private:
  Exchange(Clock& clock, const StallClocks& stalls, std::unique_ptr<ReplyDecoder> decoder,
           OnModelEvents on_events, std::string host);

  struct Deadline {
    TimePoint at;
    enum class Of { first_byte, bytes, progress, closing } of = Of::first_byte;
  };

  bool over() const { return abandoned_ || decoder_->ended(); }
  bool success() const { return head_ && head_->status == 200; }
  void deliver(ModelEvents events);
  void finish_with(std::optional<ModelFailure> failure);
  void complete(ModelFailure& failure) const;
  ModelFailure refused() const;
  ModelFailure broken(const platform::HttpFault& fault) const;

  Deadline deadline() const;
  void arm(TimePoint at);
  void timer_fired();
  void stalled(Deadline::Of which);

  mutable std::mutex mutex_;
  Clock& clock_;
  const StallClocks stalls_;
  const OnModelEvents on_events_;
  const std::string host_;
  const std::unique_ptr<ReplyDecoder> decoder_;
  std::optional<platform::HttpHead> head_;
  std::string refusal_;  // the body of an answer other than 200
  std::unique_ptr<Timer> timer_;
  TimePoint last_byte_;
  TimePoint last_progress_;
  bool paused_ = false;
  bool abandoned_ = false;
  bool closed_ = false;
  bool whole_ = false;
};

}  // namespace agentd::model
