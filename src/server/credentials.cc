#include "server/credentials.h"

#include <string>
#include <vector>

#include "model/address.h"

namespace agentd::server {
namespace {

// What a message calls a setting: the variable, or the file and the key in it.
std::string setting_name(const config::Settings& settings, const std::string& key) {
  const std::string& origin = settings.origins.at(key);
  return origin.starts_with('/') ? origin + ": " + key : origin;
}

model::ChatEndpoint openai_endpoint(const config::Settings& settings) {
  model::ChatEndpoint endpoint;
  endpoint.name = "openai-chat";
  endpoint.base_url = model::kOpenAiBaseUrl;
  endpoint.base_url_from = "OPENAI_BASE_URL";
  endpoint.key = settings.openai_api_key;
  endpoint.key_from = "OPENAI_API_KEY";
  if (!settings.openai_base_url.empty()) {
    endpoint.base_url = settings.openai_base_url;
    endpoint.key_wanted = false;  // a server of one's own has none
  }
  return endpoint;
}

model::ChatEndpoint ollama_endpoint(const config::Settings& settings) {
  model::ChatEndpoint endpoint;
  endpoint.name = "ollama";
  endpoint.base_url = model::ollama_base_url(settings.ollama_host);
  endpoint.base_url_from = "OLLAMA_HOST";
  endpoint.key_wanted = false;
  return endpoint;
}

model::ChatEndpoint endpoint_of(const config::Provider& provider) {
  model::ChatEndpoint endpoint;
  endpoint.name = provider.name;
  endpoint.base_url = provider.base_url;
  endpoint.base_url_from = provider.origin + ": providers." + provider.name + ".baseUrl";
  endpoint.key = provider.api_key;
  endpoint.key_from = provider.api_key_env;
  endpoint.key_wanted = !provider.api_key_env.empty();
  endpoint.think_tags = provider.think_tags;
  endpoint.models = provider.models;
  return endpoint;
}

std::vector<model::ChatEndpoint> chat_endpoints(const config::Settings& settings) {
  std::vector<model::ChatEndpoint> endpoints = {openai_endpoint(settings),
                                                ollama_endpoint(settings)};
  for (const config::Provider& provider : settings.providers) {
    endpoints.push_back(endpoint_of(provider));
  }
  return endpoints;
}

}  // namespace

model::Credentials credentials(const config::Settings& settings) {
  model::Credentials credentials;
  credentials.anthropic_key = settings.anthropic_api_key;
  if (!settings.anthropic_base_url.empty()) {
    credentials.anthropic_base_url = settings.anthropic_base_url;
    credentials.anthropic_base_url_from = setting_name(settings, "anthropic.baseUrl");
  }
  credentials.chat_endpoints = chat_endpoints(settings);
  return credentials;
}

}  // namespace agentd::server
