// Bodies of Chat Completions replies for the model server: what a well-behaved endpoint would
// stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "message/message.h"

namespace agentd::test {

/// Builds one reply's event stream; str() closes it.
class ChatReply {
 public:
  ChatReply& text(std::string_view text);  // one chunk per word
  ChatReply& reasoning(std::string_view text, std::string_view member = "reasoning_content");
  /// The arguments' JSON text in pieces of 7 bytes.
  ChatReply& call(std::string_view id, std::string_view name, const Json& input);
  ChatReply& usage(std::int64_t prompt, std::int64_t completion);
  /// Default: tool_calls after a call, else stop.
  ChatReply& finish(std::string_view reason);
  /// Ends the stream here, without a finish reason.
  ChatReply& cut();

  std::string str() const;

 private:
  void delta(const Json& delta);

  std::string body_;
  int calls_ = 0;
  bool cut_ = false;
  std::string finish_;
  Json usage_;
};

}  // namespace agentd::test
