#include "transcripts/contract.h"

#include <fstream>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace agentd::transcripts {
namespace {

Json load(const std::string& path) {
  std::ifstream file(path);
  Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) throw std::runtime_error(path + ": cannot be read as JSON");
  return json;
}

[[noreturn]] void refuse(const std::string& reason) {
  throw std::runtime_error("against the contract: " + reason);
}

}  // namespace

struct Contract::Schemas {
  Json document;
  std::map<std::string, valijson::Schema> parsed;  // by the text of the reference

  /// The schema `reference` (`{"$ref": "schema.json#/$defs/X"}` or an inline one) stands for.
  const valijson::Schema& find(const Json& reference) {
    const std::string key = reference.dump();
    if (const auto known = parsed.find(key); known != parsed.end()) return known->second;
    Json root = reference;
    if (root.contains("$ref")) {
      const std::string path = root["$ref"];
      root["$ref"] = path.substr(path.find('#'));
      root["$defs"] = document.at("$defs");
    }
    valijson::SchemaParser parser;
    valijson::Schema& schema = parsed[key];
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(root), schema);
    return schema;
  }
};

Contract::Contract(const std::string& directory) : schemas_(std::make_unique<Schemas>()) {
  schemas_->document = load(directory + "/schema.json");
  const Json table = load(directory + "/methods.json");
  for (const Json& method : table.at("methods")) methods_[method.at("name")] = method;
}

Contract::~Contract() = default;

bool Contract::knows(const std::string& method, const std::string& direction) const {
  const auto known = methods_.find(method);
  return known != methods_.end() && known->second.at("direction") == direction;
}

void Contract::check(const std::string& method, const std::string& part, const Json& value) const {
  const auto known = methods_.find(method);
  if (known == methods_.end()) refuse("methods.json has no " + method);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter adapter(value);
  if (validator.validate(schemas_->find(known->second.at(part)), adapter, &results)) return;
  valijson::ValidationResults::Error error;
  std::string reasons;
  while (results.popError(error)) {
    reasons += "\n    ";
    for (const std::string& step : error.context) reasons += step;
    reasons += ": " + error.description;
  }
  refuse(method + " " + part + " breaks its schema: " + value.dump().substr(0, 500) + reasons);
}

void Watch::sent(const Json& message) {
  if (message.is_object() && message.contains("id") && message.contains("method")) {
    requests_[message["id"].dump()] = message;
  }
}

void Watch::received(const Json& message) {
  if (!message.is_object() || message.value("jsonrpc", "") != "2.0") {
    refuse("not JSON-RPC 2.0: " + message.dump());
  }
  if (message.contains("method")) {
    if (message.contains("id")) refuse("a request to the client: " + message.dump());
    notification(message["method"], message.value("params", Json::object()));
  } else {
    reply(message);
  }
}

/// A request that was answered with a result must have been valid; one that was not need not be.
void Watch::reply(const Json& message) {
  if (!message.contains("id") || message.contains("result") == message.contains("error")) {
    refuse("not a reply: " + message.dump());
  }
  if (message["id"].is_null()) return;  // to something that had no readable id
  const auto request = requests_.extract(message["id"].dump());
  if (request.empty()) refuse("a second reply, or one to no request: " + message.dump());
  if (message.contains("error")) return;
  const std::string method = request.mapped().at("method");
  const auto params = request.mapped().find("params");
  contract_.check(method, "params", params == request.mapped().end() ? Json::object() : *params);
  contract_.check(method, "result", message["result"]);
  const bool begins_a_run = method == "agent/start" || method == "agent/compact";
  if (begins_a_run) runs_[message["result"].at("runId")].announced = true;
  if (method == "agent/cancel" && !runs_[params->at("runId")].ended) {
    refuse("agent/cancel answered before runEnded");
  }
  if (method == "shutdown") {
    for (const auto& [id, run] : runs_) {
      if (!run.ended) refuse("shutdown answered before the runEnded of " + id);
    }
  }
}

void Watch::notification(const std::string& method, const Json& params) {
  if (!contract_.knows(method, "toClient")) refuse("no such notification to a client: " + method);
  contract_.check(method, "params", params);
  if (method == "agent/sessionHook") return session_over();
  Run& run = run_of(params);
  if (params.at("seq") != ++run.seq)
    refuse("seq is not " + std::to_string(run.seq) + ": " + params.dump());
  if (!run.announced) refuse(method + " before the answer to the request that began the run");
  if (run.ended) refuse(method + " after runEnded");
  if (run.started == (method == "agent/runStarted")) refuse("runStarted is not first, or is twice");
  run.started = true;
  if (method == "agent/runEnded") {
    run.ended = true;
    for (const auto& [id, state] : run.calls) {
      if (state != "closed") refuse("runEnded, but call " + id + " is " + state);
    }
    for (const auto& [id, state] : run.questions) {
      if (state != "resolved") refuse("runEnded, but question " + id + " is open");
    }
    for (const auto& [id, state] : run.put_to_user) {
      if (state != "resolved") refuse("runEnded, but what " + id + " asks the user is open");
    }
  } else if (params.contains("toolUseId")) {
    call_event(run, method, params);
  }
}

// A replay keeps the rules that the run itself kept, and may begin again.
Watch::Run& Watch::run_of(const Json& params) {
  if (!params.value("replay", false)) return runs_[params.at("runId")];
  Run& replayed = replayed_[params.at("runId")];
  if (params.at("seq") == 1) replayed = {.announced = true};
  return replayed;
}

void Watch::session_over() const {
  for (const auto& [id, run] : runs_) {
    if (!run.ended) refuse("agent/sessionHook before the runEnded of " + id);
  }
}

void Watch::call_event(Run& run, const std::string& method, const Json& params) {
  const std::string id = params["toolUseId"];
  if (method == "agent/toolUse" && params["state"] == "started") {
    if (!run.calls.emplace(id, "started").second) refuse("call " + id + " started twice");
    return;
  }
  const auto call = run.calls.find(id);
  if (call == run.calls.end()) refuse(method + " of a call that never started: " + id);
  std::string& state = call->second;
  const auto question = run.questions.find(id);
  const auto put = run.put_to_user.find(id);
  const bool open_to_user = put != run.put_to_user.end() && put->second == "asked";
  const bool asked =
      open_to_user || (question != run.questions.end() && question->second == "asked");
  if (state == "closed") refuse(method + " after the toolResult of " + id);
  if (method == "agent/toolUse") {
    if (params["state"] == "ready" && state != "started") refuse("ready twice: " + id);
    if (params["state"] == "running" && (state != "ready" || asked))
      refuse("running too early: " + id);
    if (params["state"] != "inputDelta") state = params["state"];
  } else if (method == "agent/approvalRequested") {
    if (state != "ready") refuse("asked before ready: " + id);
    if (!run.questions.emplace(id, "asked").second) refuse("asked twice: " + id);
  } else if (method == "agent/approvalResolved") {
    if (question == run.questions.end() || question->second != "asked") {
      refuse("resolved without a question: " + id);
    }
    question->second = "resolved";
  } else if (method == "agent/questionAsked") {
    if (state != "ready" || asked) refuse("the user is asked at a wrong time: " + id);
    if (!run.put_to_user.emplace(id, "asked").second) refuse("the user is asked twice: " + id);
  } else if (method == "agent/questionResolved") {
    if (!open_to_user) refuse("resolved, but the user was not asked: " + id);
    put->second = "resolved";
  } else if (method == "agent/toolProgress") {
    if (state != "running") refuse("progress of a call that is not running: " + id);
  } else if (method == "agent/toolResult") {
    if (asked) refuse("a result before the question was resolved: " + id);
    state = "closed";
  }
}

void Watch::ended() const {
  for (const auto& [id, request] : requests_) refuse("never answered: " + request.dump());
  for (const auto& [id, run] : runs_) {
    if (!run.ended) refuse("no runEnded: " + id);
  }
}

}  // namespace agentd::transcripts
