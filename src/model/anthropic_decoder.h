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

#include <string_view>

#include "message/message.h"
#include "model/body_decoder.h"
#include "model/reply_blocks.h"

namespace agentd::model {

class AnthropicDecoder final : public BodyDecoder {
 public:
  /// parser_only: no delta takes the short way; for comparing the two.
  enum class Path { usual, parser_only };
  explicit AnthropicDecoder(Path path = Path::usual) : path_(path) {}

 private:
  void emit_into(ModelEvents& out) override { blocks_.emit_into(out); }
  bool take_usual(std::string_view name, std::string_view data) override;
  void take_object(std::string_view name, const Json& event, std::string_view data) override;
  void take_word(std::string_view word) override;
  bool take_whole(const Json& body, std::string_view text) override;
  bool any_block() const override { return blocks_.any(); }
  void end_blocks() override { blocks_.end_all(); }

  void take_message(const Json& message, std::string_view raw);
  void message_start(const Json& event);
  void content_block_start(const Json& event, std::string_view data);
  void content_block_delta(const Json& event);
  void message_delta(const Json& event);
  void usage(const Json* told);
  void stop_reason(const Json& message);
  int index_of(const Json& event) const;

  Path path_;
  ReplyBlocks blocks_;
};

}  // namespace agentd::model
