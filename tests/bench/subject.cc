#include "bench/subject.h"

#include <stdexcept>

namespace agentd::bench {
namespace {

using Json = nlohmann::json;

// An upper bound; nothing measured takes long.
constexpr std::chrono::seconds kPatience{60};

testing::AgentProcessOptions options_for(const Rig& rig) {
  testing::AgentProcessOptions options;
  options.argv = {rig.binary};
  if (rig.kind == Kind::agentd && !rig.stored) options.argv.emplace_back("--no-session");
  options.cwd = rig.workspace;
  options.home = rig.home;
  options.environment = {{"ANTHROPIC_BASE_URL", rig.endpoint.base_url()},
                         {"ANTHROPIC_API_KEY", "bench"},
                         {"no_proxy", "127.0.0.1"}};
  if (!rig.temporary.empty()) options.environment.emplace_back("TMPDIR", rig.temporary);
  return options;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

double milliseconds(Steady::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

std::string Rig::file(std::size_t index) const {
  return workspace + "/file" + std::to_string(index % 1000) + ".txt";
}

Subject::Subject(const Rig& rig)
    : kind_(rig.kind),
      begun_(Steady::now()),
      process_(options_for(rig)),
      cwd_(rig.workspace),
      model_(rig.model) {
  process_.send({{"jsonrpc", "2.0"},
                 {"id", 1},
                 {"method", "initialize"},
                 {"params",
                  {{"protocolVersion", 1},
                   {"clientInfo", {{"name", "bench"}, {"version", "1"}}},
                   {"processId", nullptr},
                   {"capabilities", Json::object()}}}});
  const auto reply = process_.receive(kPatience);
  start_up_ms_ = milliseconds(Steady::now() - begun_);
  if (!reply || !reply->contains("result")) throw std::runtime_error("initialize failed");
  if (kind_ == Kind::agentd) {
    process_.send({{"jsonrpc", "2.0"}, {"method", "initialized"}, {"params", Json::object()}});
  }
}

TimePoint Subject::start(std::string_view prompt) {
  Json params{{"prompt", prompt}};
  if (kind_ == Kind::agentd) {
    params["runId"] = "run" + std::to_string(++starts_);
    params["cwd"] = cwd_;
    params["permissionMode"] = "bypass";
    if (!model_.empty()) params["model"] = model_;
    if (!session_id_.empty()) params["sessionId"] = session_id_;
  }
  const TimePoint sent = Steady::now();
  process_.send({{"jsonrpc", "2.0"}, {"id", 2}, {"method", "agent/start"}, {"params", params}});
  const auto reply = process_.receive(kPatience);
  if (!reply || !reply->contains("result")) {
    throw std::runtime_error("agent/start failed: " + (reply ? reply->dump() : "no answer"));
  }
  session_id_ = (*reply)["result"].value("sessionId", "");
  return sent;
}

void Subject::finish(const std::function<void(std::string_view)>& frame) {
  for (;;) {
    const auto text = process_.receive_text(kPatience);
    if (!text) throw std::runtime_error("the subject is gone: " + process_.standard_error());
    if (frame) frame(*text);
    if (contains(*text, "\"agent/done\"")) return;
    if (!contains(*text, "\"agent/runEnded\"")) continue;
    const auto ended = Json::parse(*text);
    const std::string ending = ended["params"]["ending"];
    if (ending == "completed" || ending.rfind("aborted", 0) == 0) return;
    throw std::runtime_error("the run went wrong: " + ended.dump());
  }
}

TimePoint Subject::cancel() {
  const TimePoint sent = Steady::now();
  process_.send({{"jsonrpc", "2.0"},
                 {"id", 3},
                 {"method", "agent/cancel"},
                 {"params", {{"runId", "run" + std::to_string(starts_)}}}});
  return sent;
}

void Subject::read_reply() {
  if (!process_.receive(kPatience)) throw std::runtime_error("no answer");
}

double Subject::ask(const std::string& method, Json params) {
  const TimePoint sent = Steady::now();
  process_.send({{"jsonrpc", "2.0"}, {"id", 4}, {"method", method}, {"params", std::move(params)}});
  const auto reply = process_.receive(kPatience);
  const double took = milliseconds(Steady::now() - sent);
  if (reply && reply->contains("result")) return took;
  throw std::runtime_error(method + " failed: " + (reply ? reply->dump() : "no answer"));
}

}  // namespace agentd::bench
