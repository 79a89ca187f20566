// The Messages API of Anthropic, and of gateways that play it, as a Provider (endpoint.h). The
// reply is over at message_stop.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "model/provider.h"
#include "platform/http.h"

namespace agentd::model {

struct AnthropicOptions {
  std::string key;
  std::string base_url = "https://api.anthropic.com";
  StallClocks stalls;
};

/// `clock` and `http` outlive the provider and its streams.
std::shared_ptr<Provider> make_anthropic(AnthropicOptions options, Clock& clock,
                                         platform::Http& http);

/// Where requests go: "/v1/messages" below the base, whether or not it already ends in "/v1".
std::string messages_url(std::string base_url);

}  // namespace agentd::model
