// OpenAiChatEncoderCache: a ModelRequest -> the body of a Chat Completions request, as pieces that
// are sent one after the other. Each message is encoded once per conversation and its bytes reused:
// a turn costs what is new, and each request begins with the bytes of the one before it. Order of
// the body: model, tools, messages (the system prompt first), then whatever may change.
//
// Reasoning goes back within the loop it belongs to: since the last message that is the user's own
// and not only results. With the next such message those that carried it are encoded anew. Used on
// the run's thread, with that conversation's cache.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/endpoint.h"
#include "model/openai_chat_dialect.h"
#include "model/provider.h"

namespace agentd::model {

class OpenAiChatEncoderCache final : public EncoderCache {
 public:
  /// The whole body. The pieces stay valid whatever happens to the cache.
  BodyPieces encode(const ModelRequest& request, const ChatDialect& dialect);

  /// How many messages were encoded so far, ever: for tests and the bench.
  std::size_t encoded_messages() const { return encoded_messages_; }

 private:
  struct Encoded {
    MessagePtr message;  // held, so that its address stays its own
    ReasoningMember reasoning =
        ReasoningMember::none;                 // as which it carries some; none: it does not
    std::shared_ptr<const std::string> bytes;  // absent once sealed
  };
  // Many old messages in one string: a long conversation would else be thousands of pieces.
  struct Sealed {
    std::size_t messages = 0;  // covers this many from the start, the segments before included
    std::shared_ptr<const std::string> bytes;
  };

  void encode_head(const ModelRequest& request);
  void encode_messages(const ModelRequest& request, ReasoningMember reasoning);
  void forget_from(std::size_t index);
  void seal();
  std::size_t sealed_messages() const { return sealed_.empty() ? 0 : sealed_.back().messages; }

  std::string model_;
  std::string system_;
  std::shared_ptr<const std::vector<ToolDefinition>> tools_;
  std::shared_ptr<const std::string> head_;
  std::vector<Encoded> messages_;
  std::vector<Sealed> sealed_;
  std::size_t encoded_messages_ = 0;
};

}  // namespace agentd::model
