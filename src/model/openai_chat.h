// The Chat Completions API of OpenAI, and of the many servers and gateways that speak it, as a
// Provider (endpoint.h). The reply is over at [DONE], or 2 s after a finish_reason.
//
// What one such endpoint wants otherwise than another (openai_chat_dialect.h) it shows in its
// answers; the provider remembers it for all later requests. A refusal that only tells how to write
// the request goes up as one to be made again.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "model/provider.h"
#include "platform/http.h"

namespace agentd::model {

struct OpenAiChatOptions {
  std::string key;  // empty: no authorization is sent
  std::string base_url = "https://api.openai.com/v1";
  StallClocks stalls;
  EndpointSettings settings;  // where key and address are set, for messages
  bool think_tags = false;    // reasoning may stand in the text (think_tags.h)
};

/// `clock` and `http` outlive the provider and its streams.
std::shared_ptr<Provider> make_openai_chat(OpenAiChatOptions options, Clock& clock,
                                           platform::Http& http);

/// Where requests go: "/chat/completions" below the base, unless it says so already.
std::string chat_completions_url(std::string base_url);

/// Where the same API lists its models.
std::string chat_models_url(std::string base_url);

}  // namespace agentd::model
