// ReplyBody: what kind of body a 200 answer has (a stream of events, one JSON object, a page), told
// by its first bytes and not by its content type, which gateways get wrong; and what each kind
// holds. Owned by a decoder, http thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/failure.h"
#include "model/sse.h"

namespace agentd::model {

class ReplyBody {
 public:
  enum class Kind { unknown, stream, json, page };

  /// Events of a stream go to `on_event`; a JSON body and the head of a page are held. A failure
  /// once the body passed the limit of SseReader: what follows is not read any more.
  std::optional<ModelFailure> feed(std::string_view bytes, const SseReader::OnEvent& on_event);

  /// The body is over: delivers a stream's last event if its blank line is missing.
  void finish(const SseReader::OnEvent& on_event);

  Kind kind() const { return kind_; }
  /// A JSON body; of the other kinds the beginning.
  const std::string& held() const { return held_; }

  /// Why a body that held no reply at all was none.
  ModelFailure without_reply() const;

 private:
  bool tell_kind();
  bool feed_stream(std::string_view bytes, const SseReader::OnEvent& on_event);

  Kind kind_ = Kind::unknown;
  std::string held_;
  SseReader sse_;
};

/// A failure that has no status: its class, and words for people.
ModelFailure failure_of(FailureClass failure_class, std::string message);

}  // namespace agentd::model
