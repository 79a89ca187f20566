// The real binary when the disk does not take its sessions: full, broken, of a newer agentd, not to
// be written to, or held by somebody. The run goes on, says so once, and waits for it once.
#include <sys/stat.h>
#include <unistd.h>

#include "message/message.h"
#include "session/database.h"
#include "session/store.h"
#include "stored_agent.h"
#include "support/anthropic_replies.h"
#include "support/strict_api.h"

using namespace agentd;
using namespace agentd::testing;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

namespace {

using session::Database;
using session::Durability;
using test::AnthropicReply;
using test::SeenRequest;
using test::ServerReply;

constexpr int kTurns = 8;
const std::string kAnswer = "All of it is done, from the first step to the last.";

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) {
    ++found;
  }
  return found;
}

// Calls that change something until there are kTurns results behind the last prompt, then words.
ServerReply many_turns(const SeenRequest& request) {
  static const test::StrictApi api;
  if (auto refused = api.refuse(request)) return *refused;
  const int results =
      count(request.body.substr(request.body.rfind("begin now")), "\"tool_result\"");
  AnthropicReply reply;
  if (results >= kTurns) return ServerReply::stream(reply.text(kAnswer).str());
  static std::atomic<int> calls = 0;
  const std::string number = std::to_string(++calls);
  if (results % 2 == 0) {
    reply.tool_use("toolu_" + number, "Bash", {{"command", "echo step " + number}});
  } else {
    reply.tool_use("toolu_" + number, "Write",
                   {{"file_path", "step" + number}, {"content", "step " + number}});
  }
  return ServerReply::stream(reply.str());
}

struct Ground {
  Ground() { server.set_handler(many_turns); }

  // The file of sessions is what it says.
  void put_sessions(const std::string& bytes) const {
    std::filesystem::create_directories(directory());
    workspace.write("home/.local/share/agentd/sessions.db", bytes);
  }
  std::string sessions() const { return workspace.read("home/.local/share/agentd/sessions.db"); }
  std::string directory() const { return workspace.home() + "/.local/share/agentd"; }

  Database database() const {
    auto database = Database::open(sessions_of(workspace), Durability::normal);
    REQUIRE_MESSAGE(database.has_value(), database.error().message);
    return std::move(*database);
  }

  TemporaryWorkspace workspace;
  test::ModelServer server;
};

std::string text_told(const StoredAgent& agent) {
  std::string text;
  for (const Json& delta : agent.told("agent/textDelta")) text += delta["text"];
  return text;
}

// A run that is not stored goes on to its end and says so once.
void check_unstored_run(StoredAgent& agent, const std::string& prompt = "begin now") {
  const Json end = agent.run("s", prompt);
  CHECK_MESSAGE(end["ending"] == "completed", end.dump());
  CHECK(text_told(agent) == kAnswer);
  CHECK(agent.told("agent/toolResult").size() == kTurns);
  for (const Json& result : agent.told("agent/toolResult")) CHECK(result["status"] == "completed");
  CHECK(agent.notices("not_stored").size() == 1);
}

void run_sql(Database& database, const std::string& sql) {
  const auto ran = database.execute(sql);
  REQUIRE_MESSAGE(ran.has_value(), ran.error().message);
}

}  // namespace

TEST_CASE("a full disk: the run goes on in memory, and what was written before is whole") {
  Ground ground;
  {
    StoredAgent agent(ground.workspace, ground.server);
    CHECK(agent.run("before", "begin now")["ending"] == "completed");
    agent.leave();
  }
  // 400 KB a file: full in the middle of the second prompt.
  StoredAgent agent(ground.workspace, ground.server, Framing::content_length,
                    {"/bin/sh", "-c", R"(trap '' XFSZ; ulimit -f 800; exec "$0")", AGENTD_BINARY});
  check_unstored_run(agent, std::string(500'000, 'p') + " begin now");
  agent.leave();
  auto store = session::SessionStore::open(sessions_of(ground.workspace), Durability::normal);
  REQUIRE(store.has_value());
  CHECK(store->load("before")->history.log_size() == 2 + 2 * kTurns);
  const auto stored = store->load("s");
  if (stored) CHECK(stored->history.log_size() == 0);  // its row was written, its prompt was not
}

TEST_CASE("a file that is no database is left as it is") {
  Ground ground;
  const std::string bytes(8192, 'x');
  ground.put_sessions(bytes);
  StoredAgent agent(ground.workspace, ground.server);
  check_unstored_run(agent);
  agent.leave();
  CHECK(ground.sessions() == bytes);
}

TEST_CASE("the sessions of a newer agentd are left as they are") {
  Ground ground;
  ground.put_sessions("");
  {
    Database database = ground.database();
    run_sql(database, "CREATE TABLE thing(x); PRAGMA user_version=99");
  }
  const std::string bytes = ground.sessions();
  StoredAgent agent(ground.workspace, ground.server);
  check_unstored_run(agent);
  CHECK(agent.notices("not_stored")[0]["message"].get<std::string>().find("newer agentd") !=
        std::string::npos);
  agent.leave();
  CHECK(ground.sessions() == bytes);
}

TEST_CASE("a directory that cannot be written to: the run goes on in memory") {
  if (geteuid() == 0) {
    MESSAGE("skipped: root may write everywhere");
    return;
  }
  Ground ground;
  std::filesystem::create_directories(ground.directory());
  REQUIRE(chmod(ground.directory().c_str(), 0500) == 0);
  StoredAgent agent(ground.workspace, ground.server);
  check_unstored_run(agent);
  agent.leave();
  CHECK(std::filesystem::is_empty(ground.directory()));
  chmod(ground.directory().c_str(), 0700);
}

TEST_CASE("a place for the sessions that cannot be made: the run goes on in memory") {
  Ground ground;
  std::filesystem::create_directories(ground.workspace.home() + "/.local/share");
  ground.workspace.write("home/.local/share/agentd", "a file");
  StoredAgent agent(ground.workspace, ground.server);
  check_unstored_run(agent);
  agent.leave();
  CHECK(ground.workspace.read("home/.local/share/agentd") == "a file");
}

TEST_CASE("somebody who holds the file costs a run its patience once; afterwards all is stored") {
  Ground ground;
  StoredAgent agent(ground.workspace, ground.server);
  CHECK(agent.run("before", "begin now")["ending"] == "completed");
  const std::size_t results_before = agent.told("agent/toolResult").size();
  Database holder = ground.database();
  run_sql(holder, "BEGIN EXCLUSIVE");

  const auto began = Steady::now();
  agent.start("s", "begin now");
  agent.until([](const Json& message) { return message.value("method", "") == "agent/notice"; });
  CHECK(agent.notices("not_stored").size() == 1);
  CHECK(Steady::now() - began < 3s);
  CHECK(agent.end("s")["ending"] == "completed");
  CHECK(Steady::now() - began < 5s);  // kTurns turns and calls: nobody waits again
  CHECK(agent.told("agent/toolResult").size() == results_before + kTurns);
  CHECK(agent.notices("not_stored").size() == 1);

  run_sql(holder, "ROLLBACK");
  CHECK(agent.run("s", "begin now")["ending"] == "completed");
  agent.leave();
  CHECK(agent.notices("not_stored").size() == 1);
  auto store = session::SessionStore::open(sessions_of(ground.workspace), Durability::normal);
  REQUIRE(store.has_value());
  CHECK(store->load("s")->history.log_size() == 2 * (2 + 2 * kTurns));
  CHECK(store->load("before")->history.log_size() == 2 + 2 * kTurns);
}

TEST_CASE("somebody who takes the file in the middle of a run is told of; cancel stays quick") {
  Ground ground;
  ground.server.set_handler([](const SeenRequest& request) {
    if (request.body.find("tool_result") != std::string::npos) {
      return ServerReply::stream(
          AnthropicReply().tool_use("toolu_2", "Bash", {{"command", "sleep 600"}}).str());
    }
    return ServerReply::stream(
        AnthropicReply().tool_use("toolu_1", "Bash", {{"command", "cat pipe"}}).str());
  });
  REQUIRE(mkfifo((ground.workspace.work() + "/pipe").c_str(), 0600) == 0);
  StoredAgent agent(ground.workspace, ground.server);
  const Json started = agent.answer(agent.start("s", "begin now"));
  REQUIRE_MESSAGE(started.contains("result"), started.dump());
  const auto is_running = [](const std::string& id) {
    return [id](const Json& message) {
      return message.value("method", "") == "agent/toolUse" &&
             message["params"]["toolUseId"] == id && message["params"]["state"] == "running";
    };
  };
  agent.until(is_running("toolu_1"));
  Database holder = ground.database();
  run_sql(holder, "BEGIN EXCLUSIVE");
  const auto held = Steady::now();
  ground.workspace.write("work/pipe", "go");
  bool runs = false;
  agent.until([&](const Json& message) {
    runs = runs || is_running("toolu_2")(message);
    return runs && !agent.notices("not_stored").empty();
  });
  CHECK(agent.notices("not_stored").size() == 1);
  CHECK(Steady::now() - held < 4s);

  const auto asked = Steady::now();
  agent.request("agent/cancel", {{"runId", started["result"]["runId"]}});
  CHECK(agent.end("s")["ending"] == "aborted_tools");
  CHECK(Steady::now() - asked < 1500ms);
  const auto leaves = Steady::now();
  agent.leave();
  CHECK(Steady::now() - leaves < 4s);
}

TEST_CASE("a stored session whose file is held is not taken for a new one") {
  Ground ground;
  {
    StoredAgent agent(ground.workspace, ground.server);
    CHECK(agent.run("s", "begin now, the first time")["ending"] == "completed");
    agent.start("s", "begin now, the second time");
    agent.until([](const Json& m) { return m.value("method", "") == "agent/toolResult"; });
    agent.kill();  // so that there is something to write at the opening
  }
  Database holder = ground.database();
  run_sql(holder, "BEGIN EXCLUSIVE");
  StoredAgent agent(ground.workspace, ground.server);
  const Json started = agent.answer(agent.start("s", "begin now, the third time"));
  if (started.contains("result")) {
    CHECK(agent.end("s")["ending"] == "completed");
    const std::string body = ground.server.requests().back().body;
    for (const char* time : {"first", "second", "third"}) {
      CHECK(count(body, "begin now, the " + std::string(time)) == 1);
    }
  } else {
    CHECK(started["error"]["data"]["code"] != "notFound");
  }
}
