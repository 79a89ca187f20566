// AnthropicDecoder: the body of a 200 answer of the Messages API, in any cut -> ModelEvents. Every
// quirk that endpoints and gateways are known for is dealt with here (those of blocks in
// reply_blocks.h):
//
//   bad UTF-8, lone surrogates               -> U+FFFD
//   payloads that are no objects, [DONE]     -> passed over
//   an object that does not parse            -> a delta is lost, the reply is spoiled: Failed
//   error events in any shape                -> Failed, by the error's own type
//   a JSON message in place of a stream      -> the same events
//   a JSON error, a page, nothing at all     -> Failed
//   the end of the body, or any failure,
//     after a stop reason was told           -> a positive end; before: Failed
//
// Pure: no clock, no network. One per response, on the http thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "message/message.h"
#include "model/event.h"
#include "model/reply_blocks.h"
#include "model/reply_body.h"
#include "model/reply_decoder.h"

namespace agentd::model {

class AnthropicDecoder final : public ReplyDecoder {
 public:
  /// parser_only: no delta takes the short way; for comparing the two.
  enum class Path { usual, parser_only };
  explicit AnthropicDecoder(Path path = Path::usual) : path_(path) {}

  void feed(std::string_view bytes, ModelEvents& out) override;
  void finish(ModelEvents& out, std::optional<ModelFailure> failure = std::nullopt) override;
  bool ended() const override { return ended_; }
  bool stop_told() const override { return stop_.has_value(); }
  std::size_t progress() const override { return progress_; }

 private:
  void take_event(std::string_view name, std::string_view data);
  void take_object(std::string_view name, std::string_view data);
  void take_json_body();
  void take_message(const Json& message, std::string_view raw);

  void message_start(const Json& event);
  void content_block_start(const Json& event, std::string_view data);
  void content_block_delta(const Json& event);
  void message_delta(const Json& event);
  void usage(const Json* told);
  void stop_reason(const Json& message);
  int index_of(const Json& event) const;

  void end_positively();
  void fail(ModelFailure failure);
  void fail_at_end();

  Path path_;
  ReplyBody body_;
  ModelEvents* out_ = nullptr;
  ReplyBlocks blocks_;
  Usage usage_;
  std::optional<StopTold> stop_;
  bool message_began_ = false;
  bool finishing_ = false;
  std::size_t progress_ = 0;
  bool ended_ = false;
};

}  // namespace agentd::model
