// A session is free for the next prompt the moment its client can know that the run is over: the
// conversation's way back from the run's thread is nobody's business.
#include <doctest/doctest.h>
#include <signal.h>

#include "support/agent_process.h"
#include "temporary_workspace.h"

using namespace agentd::testing;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr auto kLimit = 30s;

struct Client {
  Client()
      : agent({.argv = {AGENTD_BINARY},
               .cwd = workspace.work(),
               .home = workspace.home(),
               .environment = {},
               .framing = Framing::content_length}) {
    signal(SIGPIPE, SIG_IGN);
    request("initialize", {{"protocolVersion", 1}});
    next();
  }

  void request(const std::string& method, Json params) {
    agent.send({{"jsonrpc", "2.0"}, {"id", method}, {"method", method}, {"params", params}});
  }
  Json next() {
    auto message = agent.receive(kLimit);
    REQUIRE(message);
    return *message;
  }
  Json until_method(const std::string& method) {
    for (;;) {
      Json message = next();
      if (message.value("method", "") == method) return message;
    }
  }

  TemporaryWorkspace workspace;
  AgentProcess agent;
};

}  // namespace

TEST_CASE("a prompt right after runEnded is never answered with sessionBusy") {
  Client client;
  const std::string model = client.workspace.script("reply\n  text Fine.\n");
  for (int run = 0; run < 300; ++run) {
    client.request("agent/start", {{"prompt", "go"}, {"sessionId", "s"}, {"model", model}});
    const Json answer = client.next();
    REQUIRE_MESSAGE(answer.contains("result"), answer.dump());
    client.until_method("agent/runEnded");
  }
}

TEST_CASE("a mode set right after runEnded holds for the next run") {
  Client client;
  const std::string model = client.workspace.script(
      "reply\n  when results 0\n  call Write {\"file_path\": \"a\", \"content\": \"b\"}\n"
      "reply\n  text Fine.\n");
  bool allowed = true;
  client.request(
      "agent/start",
      {{"prompt", "go"}, {"sessionId", "s"}, {"model", model}, {"permissionMode", "bypass"}});
  for (int run = 0; run < 60; ++run) {
    REQUIRE(client.next().contains("result"));
    const Json result = client.until_method("agent/toolResult");
    CHECK((result["params"]["status"] != "denied") == allowed);
    client.until_method("agent/runEnded");
    allowed = !allowed;
    client.request("agent/setMode",
                   {{"sessionId", "s"}, {"permissionMode", allowed ? "bypass" : "plan"}});
    CHECK(client.next().contains("result"));
    client.request("agent/start", {{"prompt", "go"}, {"sessionId", "s"}});
  }
}
