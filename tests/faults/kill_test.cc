// kill -9 at random moments of a long run, over and over: whatever was settled is there afterwards,
// nothing runs twice, every request is one that an API takes, and every part that a client was
// shown has its end. AGENTD_KILLS=200 for many, AGENTD_SEED to see one again.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "message/message.h"
#include "session/store.h"
#include "stored_agent.h"
#include "support/anthropic_replies.h"
#include "support/strict_api.h"
#include "token_mind.h"

using namespace agentd;
using namespace agentd::testing;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

namespace {

int number_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

std::uint32_t seed() {
  const int given = number_from_environment("AGENTD_SEED", 0);
  return given != 0 ? static_cast<std::uint32_t>(given) : std::random_device()() % 1'000'000 + 1;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) {
    ++found;
  }
  return found;
}

// A request's messages as one list of blocks with their roles: what is joined to a message makes no
// difference. Marks of the prompt cache are no part of what is said.
std::vector<std::string> blocks_of(const std::string& body) {
  std::vector<std::string> blocks;
  const Json request = Json::parse(body);
  for (const Json& message : request.at("messages")) {
    const std::string role = message.at("role");
    const Json& content = message.at("content");
    if (content.is_string()) {
      blocks.push_back(role + Json{{"type", "text"}, {"text", content}}.dump());
      continue;
    }
    for (Json block : content) {
      block.erase("cache_control");
      blocks.push_back(role + block.dump());
    }
  }
  return blocks;
}

std::string text_of_content(const Json& content) {
  if (content.is_string()) return content;
  std::string text;
  for (const Json& block : content) text += block.value("text", "");
  return text;
}

std::string named_prompt(int number) {
  return "go on #" + std::to_string(number) + "#";
}

// The last of the prompts in it: which run the request is of.
int run_of(const std::string& body) {
  const auto at = body.rfind("go on #");
  REQUIRE(at != std::string::npos);
  return std::atoi(body.c_str() + at + 7);
}

// One session, killed again and again.
class Trial {
 public:
  explicit Trial(std::uint32_t seed) : random_(seed), mind_(seed + 1) {
    workspace_.write("work/notes.txt", "Some notes.\n");
    workspace_.write("work/plan.txt", "END\n");
    workspace_.write("work/tokens.txt", "");
    server_.set_handler([this](const test::SeenRequest& seen) { return mind_.answer(seen); });
  }

  void go(int kills) {
    for (int kill = 0; kill < kills; ++kill) live_and_die();
    finish();
    check_requests();
    check_results();
    check_deeds();
    check_parts();
  }

  std::size_t results_seen() const { return seen_results_.size(); }
  std::size_t requests_seen() const { return mind_.bodies().size(); }
  Steady::duration slowest() const { return slowest_; }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  Framing framing() { return below(2) == 0 ? Framing::lines : Framing::content_length; }

  void live_and_die() {
    const auto spawned = Steady::now();
    StoredAgent agent(workspace_, server_, framing());
    const int first = agent.start("s", named_prompt(++prompts_));
    const bool dies_early = below(4) == 0;
    if (!dies_early) expect_start(agent, first, spawned);
    const auto end =
        Steady::now() + std::chrono::microseconds(below(dies_early ? 40'000 : 250'000));
    while (Steady::now() < end) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Steady::now());
      const auto message = agent.next(left);
      if (!message) break;
      if (message->value("method", "") == "agent/runEnded") {
        agent.start("s", named_prompt(++prompts_));
      }
    }
    agent.kill();
    remember(agent);
  }

  void expect_start(StoredAgent& agent, int id, Steady::time_point spawned) {
    const Json started = agent.answer(id);
    REQUIRE_MESSAGE(started.contains("result"), started.dump());
    slowest_ = std::max(slowest_, Steady::now() - spawned);
  }

  void finish() {
    const auto spawned = Steady::now();
    StoredAgent agent(workspace_, server_);
    const int id = agent.start("s", named_prompt(++prompts_) + " " + TokenMind::kOnlyWords);
    expect_start(agent, id, spawned);
    CHECK(agent.end("s")["ending"] == "completed");
    agent.leave();
    CHECK(agent.notices("not_stored").empty());
    remember(agent);
  }

  void remember(const StoredAgent& agent) {
    for (const Json& result : agent.told("agent/toolResult")) {
      const bool is_new = seen_results_.emplace(result["toolUseId"], result).second;
      CHECK_MESSAGE(is_new, "told twice: " << result.dump());
    }
    CHECK(agent.notices("not_stored").empty());
  }

  // Each request says all that the one before it said, and goes on from there.
  void check_requests() {
    CHECK(mind_.refusals() == std::vector<std::string>());
    for (const std::string& body : mind_.bodies())
      requests_[run_of(body)].push_back(blocks_of(body));
    const std::vector<std::string>* before = nullptr;
    for (auto& [run, of_run] : requests_) {
      std::sort(of_run.begin(), of_run.end(),
                [](const auto& a, const auto& b) { return a.size() < b.size(); });
      for (const auto& blocks : of_run) {
        if (before != nullptr) check_goes_on(*before, blocks);
        before = &blocks;
      }
    }
  }

  static void check_goes_on(const std::vector<std::string>& before,
                            const std::vector<std::string>& blocks) {
    REQUIRE(blocks.size() >= before.size());
    for (std::size_t i = 0; i < before.size(); ++i) REQUIRE(blocks[i] == before[i]);
  }

  // What a client was told of a call is what the model reads of it for ever.
  void check_results() {
    std::map<std::string, Json> final_results;
    for (const std::string& block : requests_.rbegin()->second.back()) {
      const Json json = Json::parse(block.substr(block.find('{')));
      if (json["type"] == "tool_result") final_results[json["tool_use_id"]] = json;
    }
    for (const auto& [id, result] : seen_results_) {
      CAPTURE(result.dump());
      REQUIRE(final_results.count(id) == 1);
      const Json& kept = final_results[id];
      CHECK(text_of_content(kept["content"]) == text_of_content(result["content"]));
      CHECK(kept.value("is_error", false) == result["isError"]);
    }
  }

  void check_deeds() {
    const std::string plan = workspace_.read("work/plan.txt");
    CHECK(plan.ends_with("END\n"));
    const std::string done = workspace_.read("work/tokens.txt") + plan;
    for (const std::string& token : mind_.tokens()) {
      CAPTURE(token);
      CHECK(count(done, token + "\n") <= 1);
    }
    for (const auto& [id, result] : seen_results_) {
      const std::string token = mind_.token_of(id);
      if (token.empty() || result["status"] != "completed") continue;
      CAPTURE(result.dump());
      CHECK(count(done, token + "\n") == 1);
    }
  }

  // What loads the session sees every call and every run end once, with what was told live.
  void check_parts() {
    auto store = session::SessionStore::open(sessions_of(workspace_), session::Durability::normal);
    REQUIRE_MESSAGE(store.has_value(), store.error().message);
    auto parts = store->parts("s", 0, 1'000'000);
    REQUIRE(parts.has_value());
    std::set<std::string> calls;
    std::set<std::string> runs;
    std::map<std::string, int> ended;
    std::map<std::string, Json> results;
    for (const session::Part& part : *parts) {
      const Json params = Json::parse(part.params);
      if (part.method == "agent/runStarted") runs.insert(part.run);
      if (part.method == "agent/runEnded") ++ended[part.run];
      if (part.method == "agent/toolUse") calls.insert(params["toolUseId"]);
      if (part.method != "agent/toolResult") continue;
      CHECK(results.emplace(params["toolUseId"], params).second);
    }
    for (const std::string& run : runs) CHECK(ended[run] == 1);
    for (const std::string& call : calls) CHECK(results.count(call) == 1);
    for (auto& [id, told] : seen_results_) {
      CAPTURE(told.dump());
      REQUIRE(results.count(id) == 1);
      for (const auto& [key, value] : results[id].items()) CHECK(told.value(key, Json()) == value);
    }
  }

  std::mt19937 random_;
  TemporaryWorkspace workspace_;
  TokenMind mind_;
  test::ModelServer server_;
  int prompts_ = 0;
  Steady::duration slowest_{0};
  std::map<std::string, Json> seen_results_;                       // by call
  std::map<int, std::vector<std::vector<std::string>>> requests_;  // blocks, by run
};

}  // namespace

TEST_CASE("kill -9 at random moments: what was settled stays, nothing runs twice") {
  constexpr int kKillsOfASession = 25;
  const int kills = number_from_environment("AGENTD_KILLS", kKillsOfASession);
  std::size_t results = 0;
  std::size_t requests = 0;
  Steady::duration slowest{0};
  for (int done = 0; done < kills; done += kKillsOfASession) {
    const std::uint32_t used = seed();
    CAPTURE(used);
    MESSAGE("seed " << used);
    Trial trial(used);
    trial.go(std::min(kKillsOfASession, kills - done));
    results += trial.results_seen();
    requests += trial.requests_seen();
    slowest = std::max(slowest, trial.slowest());
  }
  MESSAGE(kills << " kills, " << requests << " requests, " << results
                << " results; answered at the latest after "
                << std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count() << " ms");
  CHECK(results > 0);
  CHECK(slowest < 5s);
}

TEST_CASE("kill -9 during a compaction: the conversation is there, whole or summed up") {
  TemporaryWorkspace workspace;
  test::ModelServer server;
  const test::StrictApi api;
  server.set_handler([&](const test::SeenRequest& request) {
    if (auto refused = api.refuse(request)) return *refused;
    const std::string last = Json::parse(request.body)["messages"].back().dump();
    const bool is_prompt = last.find("go on #") != std::string::npos;
    return test::ServerReply::stream(
        test::AnthropicReply().text(is_prompt ? "Yes." : "In short: all well.").str());
  });
  std::mt19937 random(seed());
  for (int round = 0; round < 8; ++round) {
    CAPTURE(round);
    StoredAgent agent(workspace, server);
    const Json end = agent.run("s", named_prompt(round));
    CHECK_MESSAGE(end["ending"] == "completed", end.dump());
    const std::string body = server.requests().back().body;
    for (int before = 0; before < round; ++before) {
      const bool told = body.find(named_prompt(before)) != std::string::npos;
      CHECK((told || body.find("In short") != std::string::npos));
    }
    CHECK(body.find(named_prompt(round)) != std::string::npos);
    const std::size_t requests = server.requests().size();
    agent.request("agent/compact", {{"sessionId", "s"}});
    REQUIRE(server.wait_requests(requests + 1));
    const auto dies = Steady::now() + std::chrono::microseconds(random() % 6'000);
    while (Steady::now() < dies && agent.next(1ms)) {
    }
    agent.kill();
  }
}
