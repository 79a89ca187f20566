// The session/ requests on sessions that another process has stored, through the real binary.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <iterator>

#include "session.h"
#include "session/store.h"
#include "session/stored_state.h"

using namespace agentd;
using namespace agentd::test;

namespace {

/// A home with sessions in it, as runs leave them.
struct StoredHome : Workspace {
  StoredHome() : store(opened(root)) {
    add("s1", "Sort the list", (root / "work").string(), 1000);
    add("s2", "Paint the fence", "/elsewhere", 2000);
    tell("s1", "r1", 0);
    tell("s1", "r2", 2);
  }

  static session::SessionStore opened(const std::filesystem::path& root) {
    const auto directory = root / "home/.local/share/agentd";
    std::filesystem::create_directories(directory);
    auto store =
        session::SessionStore::open(directory / "sessions.db", session::Durability::normal);
    REQUIRE(store.has_value());
    return std::move(*store);
  }

  void add(const std::string& id, const std::string& title, const std::string& cwd,
           std::int64_t time) {
    agent::Conversation conversation;
    conversation.cwd = conversation.workspace = cwd;
    const std::string state = session::state_json(conversation, {});
    REQUIRE(store.add({id, std::nullopt, cwd, title, time, time, state}).has_value());
  }

  // A run of one turn: two messages.
  void tell(const std::string& id, const std::string& run, std::int64_t log_size) {
    part(id, run, "agent/runStarted", R"({"model":"demo"})", log_size);
    say(id, log_size, Role::user, "prompt of " + run);
    part(id, run, "agent/turnStarted", R"({"turn":1})", log_size + 1);
    say(id, log_size + 1, Role::assistant, "answer of " + run);
    part(id, run, "agent/runEnded", R"({"ending":"completed"})", log_size + 2);
  }
  void part(const std::string& id, const std::string& run, const std::string& method,
            const std::string& params, std::int64_t log_size) {
    REQUIRE(store.add_part(id, {++parts, run, method, params, log_size}).has_value());
  }
  void say(const std::string& id, std::int64_t number, Role role, const std::string& text) {
    auto message = std::make_shared<const Message>(Message{role, {TextBlock{text}}});
    REQUIRE(store.append(id, static_cast<std::size_t>(number), {message}).has_value());
  }

  session::SessionStore store;
  std::int64_t parts = 0;
};

std::string ids(const Json& listed) {
  std::string out;
  for (const Json& each : listed.at("result").at("sessions")) {
    out += each.at("sessionId").get<std::string>() + " ";
  }
  return out;
}

std::string exported(Session& session, const std::string& id) {
  const Json answer = session.ask("session/export", {{"sessionId", id}});
  CAPTURE(answer.dump());
  REQUIRE(answer.contains("result"));
  std::string text;
  for (const Json& line : answer["result"]["lines"]) text += line.get<std::string>() + "\n";
  return text;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int error_of(const Json& answer) {
  CAPTURE(answer.dump());
  REQUIRE(answer.contains("error"));
  return answer["error"]["code"];
}

}  // namespace

TEST_CASE("stored sessions are listed by page, directory and title, and renamed and deleted") {
  StoredHome home;
  Session session(home, {});
  CHECK(ids(session.ask("session/list", Json::object())) == "s2 s1 ");
  const Json here = session.ask("session/list", {{"cwd", (home.root / "work/.").string()}});
  CHECK(ids(here) == "s1 ");
  const Json& info = here["result"]["sessions"][0];
  CHECK(info["title"] == "Sort the list");
  CHECK(info["updatedAt"] == "1970-01-01T00:00:01.000Z");
  CHECK_FALSE(info.contains("running"));
  CHECK_FALSE(here["result"].contains("nextCursor"));
  CHECK(ids(session.ask("session/list", {{"search", "FENCE"}})) == "s2 ");

  const Json first = session.ask("session/list", {{"limit", 1}});
  CHECK(ids(first) == "s2 ");
  const Json second =
      session.ask("session/list", {{"limit", 1}, {"cursor", first["result"]["nextCursor"]}});
  CHECK(ids(second) == "s1 ");
  CHECK_FALSE(second["result"].contains("nextCursor"));

  CHECK(session.ask("session/rename", {{"sessionId", "s1"}, {"title", "Mine"}}).contains("result"));
  CHECK(ids(session.ask("session/list", {{"search", "mine"}})) == "s1 ");
  CHECK(session.ask("session/delete", {{"sessionId", "s1"}}).contains("result"));
  CHECK(ids(session.ask("session/list", Json::object())) == "s2 ");
}

TEST_CASE("a stored session is forked and exported") {
  StoredHome home;
  Session session(home, {});
  const std::string whole = exported(session, "s1");
  CHECK(whole.find("answer of r2") != std::string::npos);

  const Json forked =
      session.ask("session/fork", {{"sessionId", "s1"}, {"before", {{"runId", "r2"}}}});
  CAPTURE(forked.dump());
  REQUIRE(forked.contains("result"));
  const std::string fork = forked["result"]["sessionId"];
  const std::string half = exported(session, fork);
  CHECK(half.find("answer of r1") != std::string::npos);
  CHECK(half.find("r2") == std::string::npos);
  const Json listed = session.ask("session/list", {{"search", "(fork)"}});
  REQUIRE(ids(listed) == fork + " ");
  CHECK(listed["result"]["sessions"][0]["forkedFrom"] == "s1");
  CHECK(exported(session, "s1") == whole);
}

TEST_CASE("an export goes to a file that was not there, for its user alone") {
  StoredHome home;
  Session session(home, {});
  const std::string path = home.root / "out.jsonl";
  const Json answer = session.ask("session/export", {{"sessionId", "s1"}, {"path", path}});
  CAPTURE(answer.dump());
  REQUIRE(answer.contains("result"));
  CHECK(answer["result"]["lineCount"] == 11);
  CHECK(answer["result"]["path"] == path);
  const std::string text = read_file(path);
  CHECK(text == exported(session, "s1"));
  struct stat about{};
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(error_of(session.ask("session/export", {{"sessionId", "s2"}, {"path", path}})) == -32013);
  CHECK(read_file(path) == text);
  const std::string other = home.root / "none.jsonl";
  CHECK(error_of(session.ask("session/export", {{"sessionId", "none"}, {"path", other}})) ==
        -32010);
  CHECK_FALSE(std::filesystem::exists(other));
}

TEST_CASE("a session that is too long for an answer is exported to a file") {
  StoredHome home;
  const std::string big(1'000'000, 'x');
  for (int i = 0; i < 9; ++i) home.say("s2", i, Role::user, big);
  Session session(home, {});
  CHECK(error_of(session.ask("session/export", {{"sessionId", "s2"}})) == -32012);
  const std::string path = home.root / "out.jsonl";
  const Json answer = session.ask("session/export", {{"sessionId", "s2"}, {"path", path}});
  CHECK(answer["result"]["lineCount"] == 10);
  CHECK(std::filesystem::file_size(path) > 9'000'000);
}

TEST_CASE("a stored conversation is rewound, once undone, and refused where it is not known") {
  StoredHome home;
  Session session(home, {});
  const std::string whole = exported(session, "s1");
  const auto rewind = [&](const Json& before) {
    return session.ask("session/rewind",
                       {{"sessionId", "s1"}, {"before", before}, {"restore", "conversation"}});
  };
  const Json rewound = rewind({{"runId", "r1"}, {"turn", 1}});
  CAPTURE(rewound.dump());
  REQUIRE(rewound.contains("result"));
  CHECK(rewound["result"]["conflicts"].empty());
  const std::string left = exported(session, "s1");
  CHECK(left.find("prompt of r1") != std::string::npos);
  CHECK(left.find("answer of r1") == std::string::npos);
  CHECK(error_of(rewind({{"runId", "r2"}})) == -32010);
  CHECK(session.ask("session/undoRewind", {{"sessionId", "s1"}}).contains("result"));
  CHECK(exported(session, "s1") == whole);
  CHECK(error_of(session.ask("session/undoRewind", {{"sessionId", "s1"}})) == -32010);
}

TEST_CASE("a session with a run is not deleted or rewound under it") {
  StoredHome home;
  home.write("script", "reply\n  call Bash {\"command\": \"true\"}\nreply\n  text Done.\n");
  Session session(home, {});
  const Json started =
      session.ask("agent/start", {{"prompt", "go"},
                                  {"sessionId", "fresh"},
                                  {"model", "script:" + (home.root / "script").string()}});
  CAPTURE(started.dump());
  REQUIRE(started.contains("result"));
  const std::string run = started["result"]["runId"];
  const Json deleted = session.ask("session/delete", {{"sessionId", "fresh"}});
  CHECK(error_of(deleted) == -32020);
  CHECK(deleted["error"]["data"]["runId"] == run);
  CHECK(error_of(session.ask("session/undoRewind", {{"sessionId", "fresh"}})) == -32020);
  session.ask("agent/cancel", {{"runId", run}});
  CHECK(session.ask("session/delete", {{"sessionId", "fresh"}}).contains("result"));
  CHECK(error_of(session.ask("session/delete", {{"sessionId", "fresh"}})) == -32010);
}
