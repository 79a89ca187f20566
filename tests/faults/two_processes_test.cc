// Two agentd processes on one file of sessions: each writes its own under load and nothing is
// missing; of one session there is one writer at a time, and who comes second reads what was said.
#include <map>

#include "message/message.h"
#include "session/store.h"
#include "stored_agent.h"
#include "support/anthropic_replies.h"
#include "support/strict_api.h"

using namespace agentd;
using namespace agentd::testing;
using namespace std::chrono_literals;

namespace {

using test::AnthropicReply;
using test::SeenRequest;
using test::ServerReply;

constexpr int kTurns = 12;

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) {
    ++found;
  }
  return found;
}

// Calls until there are kTurns results behind the last prompt, then words.
ServerReply many_turns(const SeenRequest& request) {
  static const test::StrictApi api;
  if (auto refused = api.refuse(request)) return *refused;
  const auto prompt = request.body.rfind("begin now");
  const int results = count(request.body.substr(prompt), "\"tool_result\"");
  AnthropicReply reply;
  if (results >= kTurns) return ServerReply::stream(reply.text("All done.").str());
  static std::atomic<int> calls = 0;
  const Json input = {{"command", "echo step " + std::to_string(results)}};
  reply.tool_use("toolu_" + std::to_string(++calls), "Bash", input);
  return ServerReply::stream(reply.str());
}

ServerReply words(const SeenRequest& request) {
  static const test::StrictApi api;
  if (auto refused = api.refuse(request)) return *refused;
  return ServerReply::stream(AnthropicReply().text("Yes.").str());
}

session::SessionStore store_of(const TemporaryWorkspace& workspace) {
  auto store = session::SessionStore::open(sessions_of(workspace), session::Durability::normal);
  REQUIRE_MESSAGE(store.has_value(), store.error().message);
  return std::move(*store);
}

// Ends of runs by session, until there are `wanted`.
std::map<std::string, Json> wait_ends(StoredAgent& agent, std::size_t wanted) {
  std::map<std::string, Json> ends;
  while (ends.size() < wanted) {
    const Json message = agent.until([](const Json& each) {
      return each.value("method", "") == "agent/runEnded" || each.contains("error");
    });
    REQUIRE_MESSAGE(message.contains("method"), message.dump());
    ends[message["params"]["sessionId"]] = message["params"];
  }
  return ends;
}

}  // namespace

TEST_CASE("two processes write many sessions of one new file at once: all are complete") {
  TemporaryWorkspace workspace;
  test::ModelServer server;
  server.set_handler(many_turns);
  StoredAgent one(workspace, server);
  StoredAgent other(workspace, server, Framing::lines);
  constexpr int kSessions = 4;
  constexpr int kRuns = 2;
  for (int run = 0; run < kRuns; ++run) {
    for (int i = 0; i < kSessions; ++i) {
      one.start("one-" + std::to_string(i), "begin now");
      other.start("other-" + std::to_string(i), "begin now");
    }
    for (StoredAgent* agent : {&one, &other}) {
      for (const auto& [session, end] : wait_ends(*agent, kSessions)) {
        CHECK_MESSAGE(end["ending"] == "completed", end.dump());
      }
      CHECK(agent->notices("not_stored").empty());
    }
  }
  auto store = store_of(workspace);
  for (const char* name : {"one-", "other-"}) {
    for (int i = 0; i < kSessions; ++i) {
      auto stored = store.load(name + std::to_string(i));
      REQUIRE(stored.has_value());
      CHECK(stored->draft.empty());
      CHECK(stored->history.log_size() ==
            kRuns * (2 + 2 * kTurns));  // prompt, calls and results, answer
    }
  }
}

TEST_CASE("a new session that two processes start at once is made by one of them") {
  for (int round = 0; round < 5; ++round) {
    TemporaryWorkspace workspace;
    test::ModelServer server;
    const auto gate = std::make_shared<test::Gate>();
    server.set_handler([gate](const SeenRequest& request) {
      ServerReply reply = words(request);
      reply.hold = gate;
      return reply;
    });
    StoredAgent one(workspace, server);
    StoredAgent other(workspace, server);
    const int first = one.start("s", "hello from one");
    const int second = other.start("s", "hello from other");
    const Json first_answer = one.answer(first);
    const Json second_answer = other.answer(second);
    CAPTURE(first_answer.dump());
    CAPTURE(second_answer.dump());
    REQUIRE(first_answer.contains("result") != second_answer.contains("result"));
    StoredAgent& winner = first_answer.contains("result") ? one : other;
    StoredAgent& loser = first_answer.contains("result") ? other : one;
    const Json& refusal = first_answer.contains("result") ? second_answer : first_answer;
    CHECK(refusal["error"]["data"]["code"] == "sessionLocked");
    const std::string message = refusal["error"]["message"];
    CHECK(message.find("process " + std::to_string(winner.process().pid())) != std::string::npos);
    gate->open();
    CHECK(winner.end("s")["ending"] == "completed");
    // What the winner said is heard by who goes on. It lets go of the session a moment after it
    // has told the end.
    Json started;
    do {
      started = loser.answer(loser.start("s", "me now"));
    } while (started.contains("error") && started["error"]["data"]["code"] == "sessionLocked");
    REQUIRE_MESSAGE(started.contains("result"), started.dump());
    CHECK(loser.end("s")["ending"] == "completed");
    const std::string last = server.requests().back().body;
    CHECK(count(last, "hello from") == 1);
    CHECK(last.find("Yes.") != std::string::npos);
    CHECK(one.notices("not_stored").empty());
    CHECK(other.notices("not_stored").empty());
  }
}

TEST_CASE("a session in memory that another process went on with is read anew") {
  TemporaryWorkspace workspace;
  test::ModelServer server;
  server.set_handler(words);
  StoredAgent one(workspace, server);
  StoredAgent other(workspace, server);
  std::string expected;
  for (int turn = 0; turn < 6; ++turn) {
    StoredAgent& agent = turn % 2 == 0 ? one : other;
    const std::string prompt = "prompt " + std::to_string(turn);
    Json started;
    do {  // the other one lets go a moment after it has told the end
      started = agent.answer(agent.start("s", prompt));
    } while (started.contains("error") && started["error"]["data"]["code"] == "sessionLocked");
    REQUIRE_MESSAGE(started.contains("result"), started.dump());
    CHECK(agent.end("s")["ending"] == "completed");
    const std::string body = server.requests().back().body;
    for (int before = 0; before <= turn; ++before) {
      CHECK(count(body, "prompt " + std::to_string(before)) == 1);
    }
    CHECK(count(body, "Yes.") == turn);
  }
  CHECK(one.notices("not_stored").empty());
  CHECK(other.notices("not_stored").empty());
}
