// BodyDecoder: what the decoders of all APIs have in common: the body's kind, its events one by
// one, text made valid, and the rule of the end: after a stop reason was told the reply is whole,
// whatever comes; before, every end but a positive one is a failure. An API adds what its objects
// mean.
//
// Pure: no clock, no network. One per response, on the http thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "message/message.h"
#include "model/reply_body.h"
#include "model/reply_decoder.h"

namespace agentd::model {

class BodyDecoder : public ReplyDecoder {
 public:
  void feed(std::string_view bytes, ModelEvents& out) final;
  void finish(ModelEvents& out, std::optional<ModelFailure> failure = std::nullopt) final;
  bool ended() const final { return ended_; }
  bool stop_told() const final { return stop_.has_value(); }
  std::size_t progress() const final { return progress_; }

 protected:
  /// Where events go until the next call.
  virtual void emit_into(ModelEvents& out) = 0;
  /// True if the payload (valid UTF-8, begins with a brace) was read without building a tree.
  virtual bool take_usual(std::string_view name, std::string_view data) = 0;
  /// A payload that is an object; `data` is its text.
  virtual void take_object(std::string_view name, const Json& object, std::string_view data) = 0;
  /// A payload that is no object: `[DONE]`, or nothing that matters.
  virtual void take_word(std::string_view word) = 0;
  /// A body that is one JSON value in place of a stream. False: it holds no message.
  virtual bool take_whole(const Json& body, std::string_view text) = 0;
  /// True if a block has begun.
  virtual bool any_block() const = 0;
  /// The reply is whole: ends its blocks. stop_ may still be changed.
  virtual void end_blocks() = 0;

  void begin_message(std::string model);
  void tell_usage(const Usage& told);
  void end_positively();
  /// A failure after the whole reply changes nothing about the reply.
  void fail(ModelFailure failure);

  std::optional<StopTold> stop_;  // told when the reply ends
  bool message_began_ = false;
  std::size_t progress_ = 0;

 private:
  void aim(ModelEvents& out);
  void take_event(std::string_view name, std::string_view data);
  void parse_object(std::string_view name, std::string_view data);
  void take_json_body();

  ReplyBody body_;
  ModelEvents* out_ = nullptr;
  Usage usage_;
  bool finishing_ = false;
  bool ended_ = false;
};

}  // namespace agentd::model
