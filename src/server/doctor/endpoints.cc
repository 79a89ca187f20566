#include "server/doctor/endpoints.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "base/version.h"
#include "model/endpoint.h"
#include "model/endpoint_failure.h"
#include "model/openai_chat.h"
#include "server/credentials.h"
#include "wire/parse.h"

namespace agentd::server::doctor {
namespace {

constexpr std::size_t kMostBody = 4 * 1024 * 1024;  // bytes
constexpr std::size_t kMostDetail = 200;            // bytes

EndpointProbe anthropic_probe(const model::Credentials& credentials, const std::string& key_from) {
  EndpointProbe probe;
  probe.key = ascii::trimmed(credentials.anthropic_key);
  probe.fact.name = "anthropic";
  probe.fact.base_url = ascii::trimmed(credentials.anthropic_base_url);
  probe.fact.base_url_from = credentials.anthropic_base_url_from;
  probe.fact.key_from = key_from.starts_with('/') ? key_from + ": anthropic.apiKey" : key_from;
  probe.url = model::url_below(probe.fact.base_url, "models") + "?limit=1000";
  probe.headers = {"anthropic-version: 2023-06-01", "x-api-key: " + probe.key};
  return probe;
}

EndpointProbe chat_probe(const model::ChatEndpoint& endpoint) {
  EndpointProbe probe;
  probe.key = ascii::trimmed(endpoint.key);
  probe.fact.name = endpoint.name;
  probe.fact.base_url = ascii::trimmed(endpoint.base_url);
  probe.fact.base_url_from = endpoint.base_url_from;
  if (!probe.key.empty()) {
    probe.fact.key_from = endpoint.key_from;
    probe.headers = {"authorization: Bearer " + probe.key};
  }
  if (probe.key.empty() && endpoint.key_wanted) {
    probe.fact.answer = EndpointAnswer::unusable;
    probe.fact.detail = endpoint.key_from + " is not set, so it is not asked";
  }
  probe.url = model::chat_models_url(probe.fact.base_url);
  return probe;
}

// One of the user's own is, by being in the settings.
bool is_configured(const model::ChatEndpoint& endpoint, const config::Settings& settings) {
  if (endpoint.name != "openai-chat" || endpoint.base_url_from != "OPENAI_BASE_URL") return true;
  return !settings.openai_api_key.empty() || !settings.openai_base_url.empty();
}

std::string told(std::string text, const std::string& key) {
  for (std::size_t at = 0; !key.empty() && (at = text.find(key, at)) != std::string::npos;) {
    constexpr std::string_view kMask = "[key]";
    text.replace(at, key.size(), kMask);
    at += kMask.size();
  }
  return std::string(utf8::head(utf8::repaired(text), kMostDetail));
}

bool is_list(const wire::Json& body) {
  const wire::Json* data = wire::member(body, "data");
  return data != nullptr && data->is_array();
}

std::vector<std::string> ids(const wire::Json& body, const std::string& key) {
  std::vector<std::string> list;
  for (const wire::Json& each : *wire::member(body, "data")) {
    if (const auto id = wire::string_member(each, "id"))
      list.push_back(told(std::string(*id), key));
  }
  return list;
}

void read_success(const Response& response, const std::string& key, EndpointFact& fact) {
  const auto body = wire::parse(response.body);
  if (body && is_list(*body)) {
    fact.answer = EndpointAnswer::answered;
    fact.models = ids(*body, key);
    return;
  }
  fact.answer = EndpointAnswer::not_an_api;
  if (body && model::is_error_object(*body)) {
    fact.detail = told(model::failure_from_object(*body, fact.status).message, key);
  } else if (ascii::contains(utf8::repaired(response.body), "<html")) {
    fact.detail = "it sends a page (HTML)";
  }
}

// Of all requests, filled in on the http thread.
struct Responses {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Response> list;  // under mutex
};

platform::HttpCallbacks callbacks(Responses& responses, std::size_t index) {
  platform::HttpCallbacks calls;
  calls.on_head = [&responses, index](platform::HttpHead head) {
    std::lock_guard lock(responses.mutex);
    responses.list[index].head = std::move(head);
  };
  calls.on_data = [&responses, index](std::string_view data) {
    std::lock_guard lock(responses.mutex);
    std::string& body = responses.list[index].body;
    body += data.substr(0, kMostBody - std::min(body.size(), kMostBody));
  };
  calls.on_end = [&responses, index](const platform::HttpFault* fault) {
    std::lock_guard lock(responses.mutex);
    responses.list[index].ended = true;
    if (fault != nullptr) responses.list[index].fault = *fault;
    responses.changed.notify_all();
  };
  return calls;
}

}  // namespace

std::string without_credentials(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find('/', begin), url.size());
  const std::size_t at = url.substr(0, end).rfind('@');
  if (at == std::string::npos || at < begin) return url;
  return url.substr(0, begin) + url.substr(at + 1);
}

std::vector<EndpointProbe> endpoint_probes(const config::Settings& settings, model::Models& models,
                                           const std::string& model) {
  const model::Credentials all = credentials(settings);
  std::map<std::string, EndpointProbe> chats;  // of one name the last counts
  for (const model::ChatEndpoint& endpoint : all.chat_endpoints) {
    chats.erase(endpoint.name);
    if (is_configured(endpoint, settings)) chats[endpoint.name] = chat_probe(endpoint);
  }
  std::vector<EndpointProbe> list;
  if (!settings.anthropic_api_key.empty()) {
    list.push_back(anthropic_probe(all, settings.origins.at("anthropic.apiKey")));
  }
  for (auto& [name, probe] : chats) list.push_back(std::move(probe));
  for (EndpointProbe& probe : list) {
    EndpointFact& fact = probe.fact;
    fact.answers_runs = model.starts_with(fact.name + "/");
    fact.optional = fact.name == "ollama" && fact.base_url_from == "OLLAMA_HOST" &&
                    settings.ollama_host.empty();
    const auto usable = models.resolve(fact.name + "/any");
    if (!usable && fact.answer != EndpointAnswer::unusable) {
      fact.answer = EndpointAnswer::unusable;
      fact.detail = usable.error().message;
    }
    fact.base_url = without_credentials(fact.base_url);
  }
  return list;
}

std::vector<EndpointFact> send(std::vector<EndpointProbe> probes, platform::Http& http,
                               std::chrono::milliseconds patience) {
  Responses responses;
  responses.list.resize(probes.size());
  std::vector<std::unique_ptr<platform::Transfer>> transfers;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].fact.answer == EndpointAnswer::unusable) continue;
    platform::HttpRequest request;
    request.url = probes[i].url;
    request.headers = probes[i].headers;
    request.headers.push_back("user-agent: agentd/" + std::string(version()));
    transfers.push_back(http.get(std::move(request), callbacks(responses, i)));
    ++asked;
  }
  {
    std::unique_lock lock(responses.mutex);
    responses.changed.wait_for(lock, patience, [&] {
      return asked == static_cast<std::size_t>(
                          std::count_if(responses.list.begin(), responses.list.end(),
                                        [](const Response& each) { return each.ended; }));
    });
  }
  transfers.clear();  // nothing is told any more
  std::vector<EndpointFact> facts;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    EndpointFact& fact = probes[i].fact;
    if (fact.answer != EndpointAnswer::unusable)
      read_response(responses.list[i], probes[i].key, fact);
    facts.push_back(std::move(fact));
  }
  return facts;
}

void read_response(const Response& response, const std::string& key, EndpointFact& fact) {
  fact.status = response.head.status;
  if (!response.ended) {
    fact.answer = EndpointAnswer::silent;
    return;
  }
  if (response.fault) {
    fact.answer = EndpointAnswer::no_contact;
    fact.detail = told(response.fault->message, key);
    return;
  }
  if (fact.status >= 200 && fact.status < 300) return read_success(response, key, fact);
  if (fact.status == 404 || fact.status == 405) {
    fact.answer = EndpointAnswer::no_list;
    return;
  }
  const auto failure = model::failure_from_response(response.head, response.body, {});
  fact.detail = told(failure.message, key);
  if (fact.status >= 300 && fact.status < 400) {
    fact.answer = EndpointAnswer::not_an_api;
  } else if (fact.status == 401 || fact.status == 403) {
    fact.answer = EndpointAnswer::refused;
  } else {
    fact.answer = EndpointAnswer::failing;
  }
}

}  // namespace agentd::server::doctor
