// Bodies of Anthropic replies for the model server: what a well-behaved endpoint would stream.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "message/message.h"

namespace agentd::test {

/// Builds one reply's event stream; str() closes it.
class AnthropicReply {
 public:
  AnthropicReply();

  AnthropicReply& text(std::string_view text);  // one delta per word
  AnthropicReply& thinking(std::string_view text, std::string_view signature);
  /// The input's JSON text in deltas of `piece` bytes (cut between characters).
  AnthropicReply& tool_use(std::string_view id, std::string_view name, const Json& input,
                           std::size_t piece = 7);
  AnthropicReply& tool_use_text(std::string_view id, std::string_view name,
                                std::string_view input_text, std::size_t piece = 7);
  /// Any event, as it is.
  AnthropicReply& event(std::string_view type, const Json& data);
  AnthropicReply& ping();
  /// Default: tool_use after a call, else end_turn.
  AnthropicReply& stop(std::string_view reason);
  AnthropicReply& usage(std::int64_t input, std::int64_t output);
  /// Ends the stream with an error event in place of a stop.
  AnthropicReply& error(std::string_view type, std::string_view message);
  /// Ends the stream here, without a stop.
  AnthropicReply& cut();

  std::string str() const;
  /// Bytes so far: an offset for a gate or a cut.
  std::size_t size() const { return body_.size(); }

 private:
  void delta(int index, const Json& delta);

  std::string body_;
  int next_index_ = 0;
  bool has_call_ = false;
  bool closed_ = false;
  std::string stop_;
  std::int64_t output_tokens_ = 5;
};

}  // namespace agentd::test
