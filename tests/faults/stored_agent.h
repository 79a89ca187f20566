// One agentd whose sessions are stored, against a model server on the loopback, driven from one
// thread: what the tests of the store share.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/agent_process.h"
#include "support/model_server.h"
#include "temporary_workspace.h"

namespace agentd::testing {

class StoredAgent {
 public:
  using Json = nlohmann::json;

  StoredAgent(const TemporaryWorkspace& workspace, const test::ModelServer& server,
              Framing framing = Framing::content_length,
              std::vector<std::string> argv = {AGENTD_BINARY})
      : process_({.argv = std::move(argv),
                  .cwd = workspace.work(),
                  .home = workspace.home(),
                  .environment = {{"ANTHROPIC_API_KEY", "sk-test"},
                                  {"ANTHROPIC_BASE_URL", server.url()}},
                  .framing = framing}) {
    ::signal(SIGPIPE, SIG_IGN);
    request("initialize", {{"protocolVersion", 1}});
  }

  /// The request's id.
  int request(const std::string& method, const Json& params) {
    process_.send({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
    return id_;
  }
  int start(const std::string& session, const std::string& prompt) {
    return request("agent/start", {{"sessionId", session},
                                   {"prompt", prompt},
                                   {"model", "anthropic/m"},
                                   {"permissionMode", "bypass"}});
  }
  /// The whole answer, result or error.
  Json answer(int id) {
    return until([id](const Json& message) {
      return message.contains("id") && message["id"] == id && !message.contains("method");
    });
  }
  /// The params of the end of the run that is going on in `session`.
  Json end(const std::string& session) {
    return until([&session](const Json& message) {
      return message.value("method", "") == "agent/runEnded" &&
             message["params"]["sessionId"] == session;
    })["params"];
  }
  /// Starts a run and waits for its end.
  Json run(const std::string& session, const std::string& prompt) {
    const Json started = answer(start(session, prompt));
    REQUIRE_MESSAGE(started.contains("result"), started.dump());
    return end(session);
  }

  template <class Match>
  Json until(Match match) {
    while (true) {
      const auto message = next(kLimit);
      REQUIRE_MESSAGE(message.has_value(), process_.standard_error());
      if (match(*message)) return *message;
    }
  }

  /// The next message; nothing if none came in time, or there are no more.
  std::optional<Json> next(std::chrono::milliseconds limit) {
    try {
      auto message = process_.receive(limit);
      if (message) told_.push_back(*message);
      return message;
    } catch (const ProcessFault&) {
      return std::nullopt;
    }
  }

  /// kill -9; what it had said is still read, as a client's pipe holds it.
  void kill() {
    process_.signal(SIGKILL);
    (void)process_.wait(kLimit);
    while (next(kLimit)) {
    }
  }
  /// Says goodbye and waits for its end: the exit code.
  int leave() {
    process_.close_input();
    while (next(kLimit)) {
    }
    return process_.wait(kLimit);
  }

  /// The params of all notifications of that method so far.
  std::vector<Json> told(const std::string& method) const {
    std::vector<Json> found;
    for (const Json& message : told_) {
      if (message.value("method", "") == method) found.push_back(message["params"]);
    }
    return found;
  }
  /// The notices of that code so far.
  std::vector<Json> notices(const std::string& code) const {
    auto all = told("agent/notice");
    std::erase_if(all, [&code](const Json& notice) { return notice["code"] != code; });
    return all;
  }
  AgentProcess& process() { return process_; }

  static constexpr std::chrono::seconds kLimit{30};

 private:
  AgentProcess process_;
  int id_ = 0;
  std::vector<Json> told_;
};

/// Where the sessions of a home are.
inline std::string sessions_of(const TemporaryWorkspace& workspace) {
  return workspace.home() + "/.local/share/agentd/sessions.db";
}

}  // namespace agentd::testing
