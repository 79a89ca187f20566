// The real binary when the world around it goes away: end of input, signals, a reader that closes
// or does not read, a client whose process is gone. Every end settles its runs, leaves no process
// and has its exit code.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "support/agent_process.h"
#include "temporary_workspace.h"

using namespace agentd::testing;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr auto kLimit = 30s;

struct Client {
  explicit Client(Framing framing = Framing::content_length,
                  const std::vector<std::string>& argv = {AGENTD_BINARY})
      : agent({.argv = argv,
               .cwd = workspace.work(),
               .home = workspace.home(),
               .environment = {},
               .framing = framing}) {
    signal(SIGPIPE, SIG_IGN);
  }

  void request(int id, const std::string& method, Json params = Json::object()) {
    agent.send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
  }
  void notify(const std::string& method) { agent.send({{"jsonrpc", "2.0"}, {"method", method}}); }
  void initialize(Json more = Json::object()) {
    more["protocolVersion"] = 1;
    request(0, "initialize", more);
    CHECK(next()["result"]["protocolVersion"] == 1);
  }
  // A run that executes `command`; returns once the command has said "begun".
  void start_command(const std::string& command) {
    start("reply\n  when results 0\n  call Bash " + Json{{"command", command}}.dump() +
              "\nreply\n  text done\n",
          {{"permissionMode", "bypass"}});
    until([](const Json& m) {
      return m.value("method", "") == "agent/toolProgress" &&
             m["params"]["text"].get<std::string>().find("begun") != std::string::npos;
    });
  }
  void start(const std::string& script, Json more = Json::object()) {
    more["prompt"] = "go";
    more["runId"] = "r1";
    more["model"] = workspace.script(script);
    request(1, "agent/start", more);
  }

  Json next() {
    auto message = agent.receive(kLimit);
    REQUIRE(message);
    return *message;
  }
  template <class Match>
  Json until(Match match) {
    while (true) {
      Json message = next();
      if (match(message)) return message;
    }
  }
  // All that is still said, up to the end of output.
  std::vector<Json> rest() {
    std::vector<Json> messages;
    while (auto message = agent.receive(kLimit)) messages.push_back(*message);
    return messages;
  }
  void close_output() {
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, agent.output());
    close(null);
  }

  TemporaryWorkspace workspace;
  AgentProcess agent;
};

// A command that tells its process id, says it has begun, and would go on for ten minutes.
const std::string kLongCommand = "echo $$ > pid; echo begun; sleep 600";

// True once that process has ended, reaped or not; waits at most `limit` for it.
bool gone(const std::string& pid_text, std::chrono::milliseconds limit = 0ms) {
  REQUIRE(!pid_text.empty());
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, std::stoi(pid_text), 0));
  if (handle < 0) return errno == ESRCH;
  pollfd watched{handle, POLLIN, 0};
  const int ready = poll(&watched, 1, static_cast<int>(limit.count()));
  close(handle);
  return ready == 1;
}

Json ended(const std::vector<Json>& messages) {
  Json found;
  for (const Json& message : messages) {
    if (message.value("method", "") != "agent/runEnded") continue;
    CHECK(found.is_null());
    found = message["params"];
  }
  return found;
}

}  // namespace

TEST_CASE("frames end: the run is cancelled and settles, its process is gone, exit 1") {
  Client client;
  client.initialize();
  client.start_command(kLongCommand);
  client.agent.close_input();
  const auto messages = client.rest();
  CHECK(ended(messages)["ending"] == "aborted_tools");
  CHECK(messages.back()["method"] == "agent/runEnded");
  CHECK(client.agent.wait(kLimit) == 1);
  CHECK(gone(client.workspace.read("work/pid")));
}

TEST_CASE("signals: the run is cancelled and settles, 143 or 130") {
  for (const auto& [number, code] : {std::pair{SIGTERM, 143}, {SIGHUP, 143}, {SIGINT, 130}}) {
    CAPTURE(number);
    Client client;
    client.initialize();
    client.start_command(kLongCommand);
    client.agent.signal(number);
    CHECK(ended(client.rest())["ending"] == "aborted_tools");
    CHECK(client.agent.wait(kLimit) == code);
    CHECK(gone(client.workspace.read("work/pid")));
  }
}

TEST_CASE("nobody reads any more: exit 1, no process left") {
  Client client;
  client.initialize();
  client.start_command(kLongCommand);
  client.close_output();
  CHECK(client.agent.wait(kLimit) == 1);
  CHECK(gone(client.workspace.read("work/pid")));
}

TEST_CASE("the client's process is gone: exit 1, though its pipes stay open") {
  const pid_t editor = fork();
  if (editor == 0) {
    while (true) pause();
  }
  Client client;
  client.initialize({{"processId", editor}});
  client.start_command(kLongCommand);
  kill(editor, SIGKILL);
  waitpid(editor, nullptr, 0);
  CHECK(ended(client.rest())["ending"] == "aborted_tools");
  CHECK(client.agent.wait(kLimit) == 1);
  CHECK(gone(client.workspace.read("work/pid")));
}

TEST_CASE("killed without a chance: the command dies with it") {
  Client client;
  client.initialize();
  client.start_command(kLongCommand);
  client.agent.signal(SIGKILL);
  CHECK(client.agent.wait(kLimit) == 128 + SIGKILL);
  CHECK(gone(client.workspace.read("work/pid"), kLimit));
}

TEST_CASE("input that ends at once") {
  Client nothing;
  nothing.agent.close_input();
  CHECK(nothing.rest().empty());
  CHECK(nothing.agent.wait(kLimit) == 1);

  Client initialized;
  initialized.initialize();
  initialized.agent.close_input();
  CHECK(initialized.agent.wait(kLimit) == 1);
}

TEST_CASE("shutdown cancels runs and is answered after the last runEnded; exit is 0 then") {
  Client client;
  client.initialize();
  client.start_command(kLongCommand);
  client.request(7, "shutdown");
  client.request(8, "tool/list");
  bool run_ended = false;
  bool refused = false;
  client.until([&](const Json& message) {
    if (message.value("method", "") == "agent/runEnded") run_ended = true;
    if (message.value("id", Json()) == 8) refused = message["error"]["code"] == -32600;
    return message.value("id", Json()) == 7;
  });
  CHECK(run_ended);
  CHECK(refused);
  client.notify("exit");
  CHECK(client.rest().empty());
  CHECK(client.agent.wait(kLimit) == 0);
}

TEST_CASE("exit without shutdown is 1, also before initialize and with a run going on") {
  Client fresh;
  fresh.notify("exit");
  CHECK(fresh.agent.wait(kLimit) == 1);
  Client busy;
  busy.initialize();
  busy.start_command(kLongCommand);
  busy.notify("exit");
  CHECK(ended(busy.rest())["outcome"] == "stopped");
  CHECK(busy.agent.wait(kLimit) == 1);
}

TEST_CASE("lines end: the work finishes, a question is denied, exit 0 or 3") {
  const std::string script =
      "reply\n  when results 0\n  call Write {\"file_path\":\"a\",\"content\":\"x\"}\n"
      "reply\n  text done\n";
  for (const int max_turns : {0, 1}) {
    CAPTURE(max_turns);
    Client client(Framing::lines);
    client.initialize();
    client.start(script, {{"maxTurns", max_turns}});
    client.until([](const Json& m) { return m.value("method", "") == "agent/approvalRequested"; });
    client.agent.close_input();
    const auto messages = client.rest();
    bool denied = false;
    for (const Json& message : messages) {
      if (message.value("method", "") != "agent/approvalResolved") continue;
      denied = message["params"]["decision"] == "deny" && message["params"]["by"] == "noApprover";
    }
    CHECK(denied);
    CHECK(ended(messages)["ending"] == (max_turns == 0 ? "completed" : "max_turns"));
    CHECK(client.agent.wait(kLimit) == (max_turns == 0 ? 0 : 3));
  }
}

TEST_CASE("a client that writes much and reads nothing does not block us, nor itself") {
  constexpr int kRequests = 3000;
  Client client;
  client.initialize();
  const std::string padding(2000, 'x');
  for (int id = 1; id <= kRequests; ++id) client.request(id, "no/such", {{"padding", padding}});
  std::set<int> ids;
  for (int i = 0; i < kRequests; ++i) {
    const Json answer = client.next();
    CHECK(answer["error"]["code"] == -32601);
    ids.insert(answer["id"].get<int>());
  }
  CHECK(ids.size() == kRequests);
  client.request(1, "shutdown");
  CHECK(client.next()["result"].is_null());
  client.notify("exit");
  CHECK(client.agent.wait(kLimit) == 0);
}

TEST_CASE("what was said before the end arrives whole, however late it is read") {
  Client client(Framing::lines);
  client.initialize();
  const std::string text(300'000, 'y');
  client.start("reply\n  text " + text + "\n");
  client.agent.close_input();
  std::string heard;
  for (const Json& message : client.rest()) {
    if (message.value("method", "") == "agent/textDelta") heard += message["params"]["text"];
  }
  CHECK(heard == text);
  CHECK(client.agent.wait(kLimit) == 0);
}

TEST_CASE("what shed every trace of its command does not outlive the process") {
  for (const bool orderly : {true, false}) {
    CAPTURE(orderly);
    Client client;
    client.initialize();
    REQUIRE(mkfifo((client.workspace.work() + "/pid").c_str(), 0600) == 0);
    client.start_command(
        "(sleep 0.1; env -i setsid sh -c 'echo $$ > pid; exec sleep 61' &) >/dev/null 2>&1 & "
        "echo begun");
    client.until([](const Json& m) { return m.value("method", "") == "agent/runEnded"; });
    const std::string pid = client.workspace.read("work/pid");
    CHECK_FALSE(gone(pid));
    if (orderly) client.agent.close_input();
    if (!orderly) client.agent.signal(SIGTERM);
    client.rest();
    CHECK(client.agent.wait(kLimit) == (orderly ? 1 : 143));
    CHECK(gone(pid));
  }
}

// Whichever of them is the one too many: nobody waits for what could not be had.
TEST_CASE("too few descriptors to start with: one line and exit 1") {
  for (int limit = 5; limit <= 8; ++limit) {
    CAPTURE(limit);
    Client client(
        Framing::content_length,
        {"/bin/sh", "-c", "ulimit -n " + std::to_string(limit) + "; exec \"$0\"", AGENTD_BINARY});
    CHECK(client.rest().empty());
    CHECK(client.agent.wait(kLimit) == 1);
    const std::string said = client.agent.standard_error();
    CHECK(said.starts_with("agentd: cannot start: "));
    CHECK(said.find('\n') == said.size() - 1);
  }
}

TEST_CASE("started in a directory that is gone: a start that names none says so") {
  Client client(
      Framing::content_length,
      {"/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\"", AGENTD_BINARY});
  client.initialize();
  client.start("reply\n  text hi\n");
  const Json answer = client.until([](const Json& m) { return m.value("id", Json()) == 1; });
  REQUIRE(answer.contains("error"));
  CHECK(answer["error"].dump().find("was started in does not exist any more") != std::string::npos);
  client.start("reply\n  text hi\n", {{"cwd", client.workspace.work()}});
  CHECK(client.until([](const Json& m) {
    return m.value("method", "") == "agent/runEnded";
  })["params"]["outcome"] == "success");
}

TEST_CASE("nothing but frames on standard output, nothing on standard error") {
  Client client;
  client.initialize();
  client.start_command("echo to stdout; echo to stderr >&2; echo begun");
  client.until([](const Json& m) { return m.value("method", "") == "agent/runEnded"; });
  client.request(9, "shutdown");
  client.until([](const Json& m) { return m.value("id", Json()) == 9; });
  client.notify("exit");
  CHECK(client.agent.wait(kLimit) == 0);
  CHECK(client.agent.standard_error().empty());
}
