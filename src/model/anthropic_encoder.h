// AnthropicEncoder: a ModelRequest -> the body of a Messages API request, as pieces that are sent
// one after the other. Each message and the tool list are encoded once per conversation and the
// bytes reused: a turn costs what is new, and the endpoint's prompt cache sees the same prefix
// every time. Order of the body: model, system, tools, messages, then whatever may change between
// requests. Used on the run's thread, with that conversation's cache.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/endpoint.h"
#include "model/provider.h"

namespace agentd::model {

/// The API's limit of cache_control marks in one request.
inline constexpr std::size_t kMaximumCacheMarks = 4;

class AnthropicEncoderCache final : public EncoderCache {
 public:
  /// The whole body. The pieces stay valid whatever happens to the cache.
  BodyPieces encode(const ModelRequest& request);

  /// How many messages were encoded so far, ever: for tests and the bench.
  std::size_t encoded_messages() const { return encoded_messages_; }

 private:
  // A message's bytes, split where a cache mark would go (right before the closing brace of its
  // last block that may carry one): with and without a mark, the same two strings.
  struct Encoded {
    MessagePtr message;  // held, so that its address stays its own
    std::shared_ptr<const std::string> front;
    std::shared_ptr<const std::string> back;
    bool markable = false;
  };
  // Many old messages in one string: a long conversation would else be thousands of pieces.
  struct Sealed {
    std::size_t messages = 0;  // covers this many from the start, the segments before included
    std::shared_ptr<const std::string> bytes;
  };

  void encode_head(const ModelRequest& request);
  void encode_messages(const ModelRequest& request);
  void forget_from(std::size_t index);
  void seal(std::size_t before);
  std::size_t sealed_messages() const { return sealed_.empty() ? 0 : sealed_.back().messages; }

  std::string model_;
  std::string system_;
  std::shared_ptr<const std::vector<ToolDefinition>> tools_;
  std::shared_ptr<const std::string> head_;
  bool head_marked_ = false;
  std::vector<Encoded> messages_;  // those in sealed_ keep only their message
  std::vector<Sealed> sealed_;
  std::size_t encoded_messages_ = 0;
};

}  // namespace agentd::model
