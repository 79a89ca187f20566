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
#include "server/credentials.h"
#include "server/person_answer.h"
#include "wire/parse.h"

namespace agentd::server::doctor {
namespace {

constexpr std::size_t kMostBody = 4 * 1024 * 1024;  // bytes
constexpr std::size_t kMostDetail = 200;            // bytes

Question anthropic_question(const model::Credentials& credentials, const std::string& key_from) {
  Question question;
  question.key = ascii::trimmed(credentials.anthropic_key);
  question.fact.name = "anthropic";
  question.fact.base_url = ascii::trimmed(credentials.anthropic_base_url);
  question.fact.base_url_from = credentials.anthropic_base_url_from;
  question.fact.key_from = key_from.starts_with('/') ? key_from + ": anthropic.apiKey" : key_from;
  question.url = model::url_below(question.fact.base_url, "models") + "?limit=1000";
  question.headers = {"anthropic-version: 2023-06-01", "x-api-key: " + question.key};
  return question;
}

Question chat_question(const model::ChatEndpoint& endpoint) {
  Question question;
  question.key = ascii::trimmed(endpoint.key);
  question.fact.name = endpoint.name;
  question.fact.base_url = ascii::trimmed(endpoint.base_url);
  question.fact.base_url_from = endpoint.base_url_from;
  if (!question.key.empty()) {
    question.fact.key_from = endpoint.key_from;
    question.headers = {"authorization: Bearer " + question.key};
  }
  if (question.key.empty() && endpoint.key_wanted) {
    question.fact.answer = Answer::unusable;
    question.fact.detail = endpoint.key_from + " is not set, so it is not asked";
  }
  question.url = question.fact.base_url;
  while (question.url.ends_with('/')) question.url.pop_back();
  question.url += "/models";
  return question;
}

// One of the user's own is, by being in the settings.
bool is_configured(const model::ChatEndpoint& endpoint, const config::Settings& settings) {
  if (endpoint.name != "openai-chat" || endpoint.base_url_from != "OPENAI_BASE_URL") return true;
  return !settings.openai_api_key.empty() || !settings.openai_base_url.empty();
}

// What an error says of itself, in the forms the APIs have.
std::string error_text(const wire::Json& body) {
  const wire::Json* error = wire::member(body, "error");
  if (error == nullptr) return std::string(wire::string_member(body, "message").value_or(""));
  if (error->is_string()) return error->get<std::string>();
  return std::string(wire::string_member(*error, "message").value_or(""));
}

std::string told(std::string text, const std::string& key) {
  for (std::size_t at = 0; !key.empty() && (at = text.find(key, at)) != std::string::npos;) {
    text.replace(at, key.size(), "[key]");
  }
  return std::string(utf8::head(utf8::repaired(text), kMostDetail));
}

bool is_list(const wire::Json& body) {
  const wire::Json* data = wire::member(body, "data");
  return data != nullptr && data->is_array();
}

std::vector<std::string> ids(const wire::Json& body) {
  std::vector<std::string> list;
  for (const wire::Json& each : *wire::member(body, "data")) {
    if (const auto id = wire::string_member(each, "id")) list.emplace_back(*id);
  }
  return list;
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

std::vector<Question> questions(const config::Settings& settings, model::Models& models,
                                const std::string& model) {
  const model::Credentials all = credentials(settings);
  std::map<std::string, Question> chats;  // of one name the last counts
  for (const model::ChatEndpoint& endpoint : all.chat_endpoints) {
    chats.erase(endpoint.name);
    if (is_configured(endpoint, settings)) chats[endpoint.name] = chat_question(endpoint);
  }
  std::vector<Question> list;
  if (!settings.anthropic_api_key.empty()) {
    list.push_back(anthropic_question(all, settings.origins.at("anthropic.apiKey")));
  }
  for (auto& [name, question] : chats) list.push_back(std::move(question));
  for (Question& question : list) {
    EndpointFact& fact = question.fact;
    fact.answers_runs = model.starts_with(fact.name + "/");
    fact.optional = fact.name == "ollama" && fact.base_url_from == "OLLAMA_HOST" &&
                    settings.ollama_host.empty();
    const auto usable = models.resolve(fact.name + "/any");
    if (!usable && fact.answer != Answer::unusable) {
      fact.answer = Answer::unusable;
      fact.detail = usable.error().message;
    }
    fact.base_url = without_credentials(fact.base_url);
  }
  return list;
}

std::vector<EndpointFact> ask(std::vector<Question> questions, platform::Http& http,
                              std::chrono::milliseconds patience) {
  Responses responses;
  responses.list.resize(questions.size());
  std::vector<std::unique_ptr<platform::Transfer>> transfers;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions[i].fact.answer == Answer::unusable) continue;
    platform::HttpRequest request;
    request.url = questions[i].url;
    request.headers = questions[i].headers;
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
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EndpointFact& fact = questions[i].fact;
    if (fact.answer != Answer::unusable) read_answer(responses.list[i], questions[i].key, fact);
    facts.push_back(std::move(fact));
  }
  return facts;
}

void read_answer(const Response& response, const std::string& key, EndpointFact& fact) {
  fact.status = response.head.status;
  if (!response.ended) {
    fact.answer = Answer::silent;
    return;
  }
  if (response.fault) {
    fact.answer = Answer::no_contact;
    fact.detail = told(response.fault->message, key);
    return;
  }
  const auto body = wire::parse(response.body);
  if (body) fact.detail = told(error_text(*body), key);
  if (fact.status >= 200 && fact.status < 300) {
    const bool list = body && is_list(*body);
    fact.answer = list ? Answer::answered : Answer::not_an_api;
    if (list) fact.models = ids(*body);
    const bool page = utf8::repaired(response.body).find("<html") != std::string::npos;
    if (!list && page) fact.detail = "it sends a page (HTML)";
  } else if (fact.status >= 300 && fact.status < 400) {
    fact.answer = Answer::not_an_api;
    fact.detail = "it sends one elsewhere (status " + std::to_string(fact.status) + ")";
  } else if (fact.status == 401 || fact.status == 403) {
    fact.answer = Answer::refused;
  } else if (fact.status == 404 || fact.status == 405) {
    fact.answer = Answer::no_list;
  } else {
    fact.answer = Answer::failing;
  }
}

}  // namespace agentd::server::doctor
