#include "model/anthropic.h"

#include <utility>

#include "model/anthropic_decoder.h"
#include "model/anthropic_encoder.h"
#include "model/endpoint.h"

namespace agentd::model {
namespace {

EndpointOptions endpoint_options(AnthropicOptions options) {
  EndpointOptions out;
  out.url = messages_url(std::move(options.base_url));
  out.headers = {"anthropic-version: 2023-06-01", "x-api-key: " + options.key};
  out.key = std::move(options.key);
  out.settings = {"ANTHROPIC_API_KEY, or anthropic.apiKey in your settings", "ANTHROPIC_BASE_URL"};
  out.stalls = options.stalls;
  return out;
}

class Anthropic final : public Provider {
 public:
  Anthropic(AnthropicOptions options, Clock& clock, platform::Http& http)
      : endpoint_(endpoint_options(std::move(options)), clock, http) {}

  std::unique_ptr<EncoderCache> make_cache() const override {
    return std::make_unique<AnthropicEncoderCache>();
  }

  std::unique_ptr<ModelStream> send(const ModelRequest& request, EncoderCache& cache,
                                    OnModelEvents on_events) override {
    return endpoint_.post(static_cast<AnthropicEncoderCache&>(cache).encode(request),
                          std::make_unique<AnthropicDecoder>(), request.fresh_connection,
                          std::move(on_events));
  }

 private:
  Endpoint endpoint_;
};

}  // namespace

std::shared_ptr<Provider> make_anthropic(AnthropicOptions options, Clock& clock,
                                         platform::Http& http) {
  return std::make_shared<Anthropic>(std::move(options), clock, http);
}

std::string messages_url(std::string base_url) {
  return url_below(std::move(base_url), "messages");
}

}  // namespace agentd::model
