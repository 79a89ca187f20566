// SessionEnd hooks at every way the real binary ends: they run, they are told where somebody still
// listens, and they hold nothing up for long.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>

#include "support/agent_process.h"
#include "temporary_workspace.h"

using namespace agentd::testing;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr auto kLimit = 30s;
const std::string kDone = "reply\n  text Done.\n";

// The user has one SessionEnd hook.
std::string settings(const std::string& command) {
  const Json hook = {{"type", "command"}, {"command", command}, {"timeout", 60}};
  return Json{{"hooks", {{"SessionEnd", {{{"hooks", {hook}}}}}}}}.dump();
}

struct Workspace : TemporaryWorkspace {
  explicit Workspace(const std::string& command) {
    std::filesystem::create_directories(home() + "/.config/agentd");
    write("home/.config/agentd/settings.json", settings(command));
  }
};

// A session that had a run.
struct Client {
  explicit Client(const std::string& command, Framing framing = Framing::content_length,
                  const std::string& script = kDone)
      : workspace(command),
        agent({.argv = {AGENTD_BINARY},
               .cwd = workspace.work(),
               .home = workspace.home(),
               .environment = {},
               .framing = framing}) {
    signal(SIGPIPE, SIG_IGN);
    request("initialize", {{"protocolVersion", 1}});
    request("agent/start", {{"prompt", "go"},
                            {"sessionId", "s"},
                            {"model", workspace.script(script)},
                            {"permissionMode", "bypass"}});
    until("agent/runEnded");
  }

  void request(const std::string& method, const Json& params) {
    agent.send({{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", params}});
    while (next().value("id", Json()) != id) continue;
  }
  void until(const std::string& method) {
    while (next().value("method", "") != method) continue;
  }
  Json next() {
    auto message = agent.receive(kLimit);
    REQUIRE(message);
    return *message;
  }

  Workspace workspace;
  AgentProcess agent;
  int id = 0;
};

// Notes in `ends` that it ran as a SessionEnd hook.
std::string noting() {
  return R"(grep -q '"hook_event_name":"SessionEnd"' && echo over >>ends)";
}

// Ends only when it is killed, notes how, and has a child that hangs too.
const std::string kHanging =
    "trap 'echo TERM >killed; exit 3' TERM; cat held & echo $! >child; echo begun >begun; wait";

void make_pipes(const Workspace& workspace) {
  for (const char* name : {"begun", "held"}) {
    REQUIRE(mkfifo((workspace.work() + "/" + name).c_str(), 0600) == 0);
  }
}

int run_in_shell(const Workspace& workspace, const std::string& line) {
  workspace.write("line.sh", "agentd() { " AGENTD_BINARY " \"$@\"; }\ncd " + workspace.work() +
                                 "\nexport HOME=" + workspace.home() +
                                 "\nunset ANTHROPIC_API_KEY XDG_CONFIG_HOME XDG_DATA_HOME\n" +
                                 line + "\n");
  const std::string command = "timeout 60 bash " + workspace.path("line.sh") + " >" +
                              workspace.path("out") + " 2>" + workspace.path("err");
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n') + 1;
  const std::size_t begin = text.rfind('\n', end - 1) + 1;
  return text.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("however agentd ends, a session that had a run ends with its hooks, once") {
  SUBCASE("the editor is gone") {
    Client client(noting());
    client.agent.close_input();
    CHECK(client.agent.wait(kLimit) == 1);
    CHECK(client.workspace.read("work/ends") == "over\n");
  }
  SUBCASE("lines end") {
    Client client(noting(), Framing::lines);
    client.agent.close_input();
    client.until("agent/sessionHook");
    CHECK(client.agent.wait(kLimit) == 0);
    CHECK(client.workspace.read("work/ends") == "over\n");
  }
  SUBCASE("SIGTERM") {
    Client client(noting());
    client.agent.signal(SIGTERM);
    client.until("agent/sessionHook");
    CHECK(client.agent.wait(kLimit) == 143);
    CHECK(client.workspace.read("work/ends") == "over\n");
  }
  SUBCASE("shutdown and exit") {
    Client client(noting());
    client.request("shutdown", Json::object());
    CHECK(client.workspace.read("work/ends") == "over\n");
    client.agent.send({{"jsonrpc", "2.0"}, {"method", "exit"}});
    CHECK(client.agent.wait(kLimit) == 0);
    CHECK(client.workspace.read("work/ends") == "over\n");
  }
  SUBCASE("exit in the middle of it") {
    Client client(noting());
    client.agent.send({{"jsonrpc", "2.0"}, {"id", 9}, {"method", "shutdown"}});
    client.agent.send({{"jsonrpc", "2.0"}, {"method", "exit"}});
    client.until("agent/sessionHook");
    CHECK(client.next()["id"] == 9);
    CHECK(client.agent.wait(kLimit) == 0);
    CHECK(client.workspace.read("work/ends") == "over\n");
  }
}

TEST_CASE("without a run there is no session to end") {
  Workspace workspace(noting());
  AgentProcess agent({.argv = {AGENTD_BINARY},
                      .cwd = workspace.work(),
                      .home = workspace.home(),
                      .environment = {},
                      .framing = Framing::content_length});
  agent.close_input();
  CHECK(agent.wait(kLimit) == 1);
  CHECK(workspace.read("work/ends").empty());
}

// That it is after 3 s is tested where time is a fake's (unit/server/session_end_test.cc).
TEST_CASE("a hook that hangs is killed, with what it started, and agentd ends") {
  Client client(kHanging);
  make_pipes(client.workspace);
  client.agent.signal(SIGTERM);
  CHECK(client.workspace.read("work/begun") == "begun\n");
  const Json told = [&] {
    while (true) {
      const Json message = client.next();
      if (message.value("method", "") == "agent/sessionHook") return message;
    }
  }();
  CHECK(told["params"]["outcome"] == "cancelled");
  CHECK(client.agent.wait(kLimit) == 143);
  CHECK(client.workspace.read("work/killed") == "TERM\n");
  CHECK(kill(std::stoi(client.workspace.read("work/child")), 0) != 0);
}

// The deadline of the hooks would look the same, only later. A busy machine may be that late once,
// so it gets more than one try to be earlier.
TEST_CASE("a second signal waits for no hook") {
  bool before_the_deadline = false;
  for (int attempt = 0; attempt < 5 && !before_the_deadline; ++attempt) {
    Client client(kHanging);
    make_pipes(client.workspace);
    const auto began = std::chrono::steady_clock::now();
    client.agent.signal(SIGTERM);
    CHECK(client.workspace.read("work/begun") == "begun\n");
    client.agent.signal(SIGTERM);
    CHECK(client.agent.wait(kLimit) == 143);
    before_the_deadline = std::chrono::steady_clock::now() - began < 3s;
    CHECK(client.workspace.read("work/killed") == "TERM\n");
  }
  CHECK(before_the_deadline);
}

TEST_CASE("what a session's commands left in the background is gone when shutdown is answered") {
  Client client(
      "true", Framing::content_length,
      "reply\n  when results 0\n  call Bash {\"command\": \"sleep 1000 & echo $! >pid\"}\n"
      "reply\n  text Done.\n");
  const int left = std::stoi(client.workspace.read("work/pid"));
  REQUIRE(kill(left, 0) == 0);
  client.request("shutdown", Json::object());
  CHECK(kill(left, 0) != 0);
}

TEST_CASE("agentd run ends its session too") {
  Workspace workspace(noting());
  const std::string run = "agentd run --model " + workspace.script(kDone) + " go </dev/null";
  CHECK(run_in_shell(workspace, run) == 0);
  CHECK(workspace.read("work/ends") == "over\n");
  CHECK(workspace.read("out") == "Done.\n");
  CHECK(workspace.read("err").empty());

  CHECK(run_in_shell(workspace, run + " --json") == 0);
  const Json last = Json::parse(last_line(workspace.read("out")));
  CHECK(last["method"] == "agent/sessionHook");
  CHECK(last["params"]["outcome"] == "success");
}

TEST_CASE("agentd run says it if a hook is broken, and its exit code is the run's") {
  Workspace workspace("echo no disk >&2; exit 3");
  CHECK(run_in_shell(workspace,
                     "agentd run --model " + workspace.script(kDone) + " go </dev/null") == 0);
  CHECK(workspace.read("err").find("SessionEnd hook") != std::string::npos);
  CHECK(workspace.read("err").find("no disk") != std::string::npos);
}
