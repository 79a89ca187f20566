// OpenAiChatDecoder: the body of a 200 answer of a Chat Completions API, in any cut -> ModelEvents.
// Every quirk that the endpoints of this API are known for is dealt with here (those of blocks in
// openai_chat_blocks.h):
//
//   [DONE]                                  -> a positive end, also without a finish_reason
//   the end of the body, or any failure,
//     after a finish_reason was told        -> a positive end; before: Failed
//   text, calls and usage after it          -> still part of the reply
//   several finish reasons                  -> the first, unless a later one says that it was cut
//   a reply cut by its limit                -> its last block, if a call, never ends
//   choices and deltas that are null        -> passed over; of several candidates the first is read
//   reasoning under any of its names        -> thinking, unsigned
//   an object that does not parse           -> a delta is lost, the reply is spoiled: Failed
//   error objects in any shape              -> Failed, by the error's own type
//   a JSON completion in place of a stream  -> the same events
//   a JSON error, a page, nothing at all    -> Failed
//
// Pure: no clock, no network. One per response, on the http thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "message/message.h"
#include "model/body_decoder.h"
#include "model/openai_chat_blocks.h"
#include "model/openai_chat_dialect.h"
#include "model/think_tags.h"
#include "model/usual_chunk.h"

namespace agentd::model {

struct OpenAiChatDecoderOptions {
  bool think_tags = false;   // reasoning may stand in the text, between tags (think_tags.h)
  bool parser_only = false;  // no chunk takes the short way (usual_chunk.h); for comparing the two
  /// Told once, when the first reasoning comes: under which name.
  std::function<void(ReasoningMember)> on_reasoning = [](ReasoningMember) {};
};

class OpenAiChatDecoder final : public BodyDecoder {
 public:
  explicit OpenAiChatDecoder(OpenAiChatDecoderOptions options = {})
      : options_(std::move(options)) {}

 private:
  void emit_into(ModelEvents& out) override { blocks_.emit_into(out); }
  bool take_usual(std::string_view name, std::string_view data) override;
  void take_object(std::string_view name, const Json& object, std::string_view data) override;
  void take_word(std::string_view word) override;
  bool take_whole(const Json& body, std::string_view text) override;
  bool any_block() const override { return blocks_.any(); }
  void end_blocks() override;

  void take_error(std::string_view name, const Json& object);
  void chunk(const Json& chunk);
  void choice(const Json& choice);
  void delta(const Json& delta);
  void piece(UsualChunk::Piece piece);
  void reasoning(const Json& delta);
  void reasoning(ReasoningMember member, std::string piece);
  void content(const Json& content);
  void text(std::string piece);
  void flush_text();
  void thinking(std::string piece);
  void calls(const Json& delta);
  void usage(const Json* told);
  void finish_reason(const Json& choice);

  OpenAiChatDecoderOptions options_;
  UsualChunk usual_;
  ChatBlocks blocks_;
  ThinkTags think_tags_;
  std::string refusal_;  // the model's own words for it
  std::string broken_;   // a finish reason that says so
  bool reasoning_told_ = false;
};

}  // namespace agentd::model
