// ReplyDecoder: the body of a 200 answer, in any cut -> ModelEvents. One class per API, one object
// per response, on the http thread. Pure: no clock, no network.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/event.h"

namespace agentd::model {

class ReplyDecoder {
 public:
  virtual ~ReplyDecoder() = default;

  /// Appends what `bytes` say to `out`.
  virtual void feed(std::string_view bytes, ModelEvents& out) = 0;

  /// No more bytes come: the body is over, or `failure` cut it off.
  virtual void finish(ModelEvents& out, std::optional<ModelFailure> failure) = 0;

  /// MessageEnded or Failed was given; nothing more will be.
  virtual bool ended() const = 0;
  /// The reply is whole, though its closing event may be missing.
  virtual bool stop_told() const = 0;
  /// Events of substance so far; pings do not count.
  virtual std::size_t progress() const = 0;
};

}  // namespace agentd::model
