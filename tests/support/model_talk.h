// ModelTalk: one request to a Provider as a test sees it: the events are collected on whatever
// thread they come, the test waits for what it wants to see.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "model/provider.h"
#include "support/assembled_reply.h"

namespace agentd::test {

/// One user message, no tools.
model::ModelRequest simple_request(const std::string& prompt);

class ModelTalk {
 public:
  ModelTalk(model::Provider& provider, model::EncoderCache& cache,
            const model::ModelRequest& request);
  ~ModelTalk();

  /// Waits until `seen` holds for the reply so far. False if it does not within `limit`.
  bool wait_for(const std::function<bool(const AssembledReply&)>& seen,
                std::chrono::milliseconds limit = std::chrono::milliseconds(20'000));
  /// The whole reply; one that has not ended if it takes too long.
  AssembledReply wait_end();
  bool ended() const;
  model::ModelStream& stream() { return *stream_; }
  /// Destroys the stream.
  void cancel() { stream_.reset(); }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  AssembledReply reply_;
  std::unique_ptr<model::ModelStream> stream_;
};

}  // namespace agentd::test
