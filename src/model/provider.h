// Provider: sends one request to a model and streams back ModelEvents. One per API (anthropic,
// scripted, later openai_chat ...); a conversation keeps its own encoder cache through Encoder.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "message/message.h"
#include "message/tool_choice.h"
#include "model/event.h"

namespace agentd::model {

/// Everything a request depends on. Views and definitions are shared, never copied.
struct ModelRequest {
  std::string model;  // the provider's own name, without `provider/`
  std::string system;
  std::shared_ptr<const std::vector<ToolDefinition>> tools;  // the same pointer while unchanged
  ToolChoice tool_choice = {};
  std::vector<MessagePtr> messages;
  /// Indexes into `messages` after whose last block a prompt cache may be cut, oldest first; an
  /// API takes as many of the last ones as it allows.
  std::vector<std::size_t> cache_points;
  std::int64_t max_output_tokens = 0;
  bool adaptive_thinking = false;  // ask for it, and to be shown it
  bool fresh_connection = false;   // this is a retry
};

/// How long a silent stream is waited for.
struct StallClocks {
  std::chrono::milliseconds first_byte{300'000};
  std::chrono::milliseconds bytes{120'000};     // pings count
  std::chrono::milliseconds progress{300'000};  // pings do not count
};

/// Bytes of what was encoded before, so that a turn costs what is new. Owned by the conversation,
/// used only by one run at a time and only by the provider that made it.
class EncoderCache {
 public:
  virtual ~EncoderCache() = default;
};

/// A request under way. Destroying it cancels it; no event comes after the destructor returned.
class ModelStream {
 public:
  virtual ~ModelStream() = default;
  virtual void pause() = 0;
  virtual void resume() = 0;
};

using OnModelEvents = std::function<void(ModelEvents)>;

class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::unique_ptr<EncoderCache> make_cache() const = 0;

  /// Starts the request. `on_events` is called on a thread of the provider's and only posts; its
  /// last batch ends with MessageEnded or Failed.
  [[nodiscard]] virtual std::unique_ptr<ModelStream> send(const ModelRequest& request,
                                                          EncoderCache& cache,
                                                          OnModelEvents on_events) = 0;
};

}  // namespace agentd::model
