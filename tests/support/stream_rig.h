// StreamRig: a model server on the loopback and the real provider of one API that talks to it:
// plays one reply at a time to its end.
#pragma once

#include <memory>

#include "model/provider.h"
#include "platform/http.h"
#include "support/assembled_reply.h"
#include "support/fake_clock.h"
#include "support/model_server.h"
#include "support/stream_case.h"

namespace agentd::test {

enum class StreamApi { messages, chat };

/// By the case's name: `a-` or `o-`.
StreamApi api_of(const StreamCase& one);

/// The provider for one API at the server's address; with the options that the case wants.
std::shared_ptr<model::Provider> provider_for(StreamApi api, const std::string& url,
                                              bool think_tags, Clock& clock, platform::Http& http);

/// The case's answer, as the server gives it.
ServerReply reply_for(const StreamCase& one);

class StreamRig {
 public:
  explicit StreamRig(StreamApi api, bool think_tags = false);
  explicit StreamRig(const StreamCase& one) : StreamRig(api_of(one), one.think_tags) {}

  /// `silent`: the server says no more and keeps the connection.
  AssembledReply play(ServerReply reply, bool silent = false);

 private:
  FakeClock clock_;
  ModelServer server_;
  std::unique_ptr<platform::Http> http_ = platform::make_curl_http();
  std::shared_ptr<model::Provider> provider_;
  std::unique_ptr<model::EncoderCache> cache_;
};

}  // namespace agentd::test
