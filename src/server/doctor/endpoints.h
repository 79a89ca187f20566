// The endpoints of the settings, asked for their lists of models, all at once and for 3 s at most:
// a cheap request that shows whether they are there and whether they take the key.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "model/models.h"
#include "platform/http.h"
#include "server/doctor/facts.h"

namespace agentd::server::doctor {

inline constexpr std::chrono::seconds kPatience{3};

/// An endpoint, and what it is asked. `key` is there to be kept out of what is told.
struct Question {
  EndpointFact fact;
  std::string url;
  std::vector<std::string> headers;
  std::string key;
};

/// Those somebody configured, and Ollama, which needs no configuring. `model` is the one that would
/// be used. One whose settings are wrong (`Answer::unusable`) is not to be asked.
std::vector<Question> questions(const config::Settings& settings, model::Models& models,
                                const std::string& model);

/// Asks and waits; a fact each, in order. The caller's thread.
std::vector<EndpointFact> ask(std::vector<Question> questions, platform::Http& http,
                              std::chrono::milliseconds patience = kPatience);

/// What came of one request.
struct Response {
  platform::HttpHead head;  // status 0: none came
  std::string body;
  bool ended = false;
  std::optional<platform::HttpFault> fault;
};

/// Sets the answer and its details. Pure.
void read_answer(const Response& response, const std::string& key, EndpointFact& fact);

/// `url` without a name and password before its host. Pure.
std::string without_credentials(const std::string& url);

}  // namespace agentd::server::doctor
