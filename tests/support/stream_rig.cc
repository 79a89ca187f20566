#include "support/stream_rig.h"

#include <stdexcept>
#include <utility>

#include "model/anthropic.h"
#include "model/openai_chat.h"
#include "support/model_talk.h"

namespace agentd::test {

StreamApi api_of(const StreamCase& one) {
  return one.name.starts_with("o-") ? StreamApi::chat : StreamApi::messages;
}

std::shared_ptr<model::Provider> provider_for(StreamApi api, const std::string& url,
                                              bool think_tags, Clock& clock, platform::Http& http) {
  switch (api) {
    case StreamApi::messages:
      return model::make_anthropic({"KEY", url, {}}, clock, http);
    case StreamApi::chat:
      return model::make_openai_chat(
          {.key = "KEY", .base_url = url + "/v1", .think_tags = think_tags}, clock, http);
  }
  return nullptr;
}

ServerReply reply_for(const StreamCase& one) {
  ServerReply reply;
  reply.status = one.status;
  reply.headers = one.headers;
  reply.body = one.body;
  reply.cuts = one.cuts;
  if (one.end == "reset") reply.end = ServerReply::End::reset;
  if (one.end == "stall") reply.end = ServerReply::End::stall;
  return reply;
}

StreamRig::StreamRig(StreamApi api, bool think_tags)
    : provider_(provider_for(api, server_.url(), think_tags, clock_, *http_)),
      cache_(provider_->make_cache()) {}

AssembledReply StreamRig::play(ServerReply reply, bool silent) {
  const auto at_the_end = std::make_shared<Gate>();
  if (silent) reply.gates.emplace_back(reply.body.size(), at_the_end);
  server_.add(std::move(reply));
  ModelTalk talk(*provider_, *cache_, simple_request("hi"));
  if (silent) {
    if (!at_the_end->wait_reached()) throw std::runtime_error("the stream was not taken");
    // What was sent may not have been read yet: while time passes it will be.
    while (!talk.wait_for([](const AssembledReply& seen) { return seen.ended; },
                          std::chrono::milliseconds(20))) {
      clock_.advance(std::chrono::milliseconds(30'000));
    }
    at_the_end->open();
  }
  return talk.wait_end();
}

}  // namespace agentd::test
