// The journal over a real store and its thread: what a run kept is there when the session is
// opened again, whole turns as they were and a reply that was under way with its calls settled.
#include "session/journal.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "platform/temporary_directory.h"
#include "session/message_json.h"
#include "session/opening.h"

using namespace agentd;
using namespace agentd::session;

namespace {

class StillClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(); }
  std::chrono::system_clock::time_point wall() const override { return wall_; }
  std::unique_ptr<Timer> after(Duration, std::function<void()>) override { return nullptr; }

  void set(std::int64_t ms) {
    wall_ = std::chrono::system_clock::time_point(std::chrono::milliseconds(ms));
  }

 private:
  std::chrono::system_clock::time_point wall_{std::chrono::milliseconds(1'000)};
};

// One process's view of a store; several share a directory.
struct Place {
  Place() { restart(); }
  // As after a kill: a new process, which finds what was written.
  void restart() {
    thread.reset();
    thread = std::make_shared<StoreThread>(path + "/sessions.db", Durability::normal);
  }
  std::shared_ptr<SessionJournal> begin(const std::string& id, const std::string& writer = "w1") {
    SessionRow row{id, std::nullopt, "/work", "Title", 1, 1, state_json(conversation(), {})};
    return std::make_shared<SessionJournal>(thread, clock, writer, row, Stored{});
  }
  static agent::Conversation conversation() {
    agent::Conversation fresh;
    fresh.cwd = fresh.workspace = "/work";
    return fresh;
  }
  Result<OpenedSession> open(const std::string& id, const std::string& writer = "w1") {
    std::promise<std::unique_ptr<Result<OpenedSession>>> answer;
    thread->post([&](const Result<SessionStore*>& store) {
      REQUIRE(store.has_value());
      answer.set_value(std::make_unique<Result<OpenedSession>>(
          open_session(**store, *files, thread, clock, writer, id)));
    });
    return std::move(*answer.get_future().get());
  }
  std::vector<Part> parts(const std::string& id) {
    std::promise<std::vector<Part>> answer;
    thread->post([&](const Result<SessionStore*>& store) {
      answer.set_value(*(*store)->parts(id, 0, 1000));
    });
    return answer.get_future().get();
  }

  std::size_t draft(const std::string& id) {
    std::promise<std::size_t> answer;
    thread->post([&](const Result<SessionStore*>& store) {
      answer.set_value((*store)->load(id)->draft.size());
    });
    return answer.get_future().get();
  }

  platform::TemporaryDirectory place;
  std::string path = place.path().value();
  StillClock clock;
  std::unique_ptr<platform::Files> files = platform::make_disk_files();
  std::shared_ptr<StoreThread> thread;
};

Result<void> synced(SessionJournal& journal) {
  std::promise<Result<void>> answer;
  journal.sync([&](const Result<void>& kept) { answer.set_value(kept); });
  return answer.get_future().get();
}

Result<Claim> claimed(SessionJournal& journal) {
  std::promise<Result<Claim>> answer;
  journal.claim([&](const Result<Claim>& claim) { answer.set_value(claim); });
  return answer.get_future().get();
}

Message said(Role role, const std::string& text) {
  return {role, {TextBlock{text}}};
}

std::string text(const context::History& history) {
  std::string out = std::to_string(history.log_size()) + "\n";
  for (const auto& each : history.view()) out += to_json(*each) + "\n";
  return out;
}

}  // namespace

TEST_CASE("turns that were kept are there again, and go on where they ended") {
  Place place;
  auto conversation = Place::conversation();
  {
    auto journal = place.begin("s1");
    for (int turn = 0; turn < 3; ++turn) {
      conversation.history.append(said(Role::user, "ask " + std::to_string(turn)));
      journal->keep(conversation);
      conversation.history.append(said(Role::assistant, "answer " + std::to_string(turn)));
      journal->keep(conversation);
      journal->keep_state(conversation);
    }
    REQUIRE(synced(*journal).has_value());
  }
  for (int round = 0; round < 2; ++round) {
    place.restart();
    auto opened = place.open("s1");
    REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
    CHECK(text(opened->conversation.history) == text(conversation.history));
    CHECK(opened->conversation.workspace == "/work");
    // What is said now is added behind it.
    for (agent::Conversation* each : {&conversation, &opened->conversation}) {
      each->history.append(said(Role::user, "more"));
      each->history.append(said(Role::assistant, "yes"));
    }
    opened->journal->keep(opened->conversation);
    REQUIRE(synced(*opened->journal).has_value());
  }
}

TEST_CASE("a compaction comes back with the view it made") {
  Place place;
  auto conversation = Place::conversation();
  auto journal = place.begin("s1");
  for (int turn = 0; turn < 4; ++turn) {
    conversation.history.append(said(Role::user, "ask " + std::to_string(turn)));
    conversation.history.append(said(Role::assistant, "answer " + std::to_string(turn)));
  }
  REQUIRE(conversation.history.compact({TextBlock{"In short."}}, 6));
  conversation.history.append(said(Role::user, "and then?"));
  journal->keep(conversation);
  REQUIRE(synced(*journal).has_value());
  journal.reset();
  place.restart();
  const auto opened = place.open("s1");
  REQUIRE(opened.has_value());
  CHECK(text(opened->conversation.history) == text(conversation.history));
}

TEST_CASE("a kill in the middle of a reply: calls are settled, parts are closed, once") {
  Place place;
  auto conversation = Place::conversation();
  {
    auto journal = place.begin("s1");
    journal->keep_part("r1", "agent/runStarted", R"("model":"m")");
    conversation.history.append(said(Role::user, "do it"));
    journal->keep(conversation);
    journal->keep_text("r1", "agent/textDelta", R"("blockId":"b1")", "I ");
    journal->keep_text("r1", "agent/textDelta", R"("blockId":"b1")", "do.");
    journal->keep_block(0, TextBlock{"I do."});
    for (const char* id : {"t1", "t2"}) {
      journal->keep_part(
          "r1", "agent/toolUse",
          std::string(R"("toolUseId":")") + id + R"(","name":"Bash","state":"ready")");
      journal->keep_block(id[1] - '0', ToolUseBlock{id, "Bash", {{"command", "x"}}});
    }
    journal->keep_start("t1");
    REQUIRE(synced(*journal).has_value());
  }
  place.restart();
  std::string first;
  for (int round = 0; round < 2; ++round) {
    auto opened = place.open("s1");
    REQUIRE(opened.has_value());
    const auto& log = opened->conversation.history.view();
    REQUIRE(log.size() == 3);
    const auto& answer = log[2]->blocks;
    const auto& began = std::get<ToolResultBlock>(answer.at(0));
    CHECK(began.tool_use_id == "t1");
    CHECK(text_of(began.content).find("may have run") != std::string::npos);
    CHECK(text_of(std::get<ToolResultBlock>(answer.at(1)).content).find("Not run") == 0);
    std::string methods;
    for (const Part& part : place.parts("s1")) methods += part.method.substr(6) + ' ';
    CHECK(methods == "runStarted textDelta toolUse toolUse toolResult toolResult runEnded ");
    CHECK(place.parts("s1")[1].params == R"({"blockId":"b1","text":"I do."})");
    if (round == 0) first = text(opened->conversation.history);
    CHECK(text(opened->conversation.history) == first);
    place.restart();  // killed again before anything was said
  }
}

TEST_CASE(
    "a kill behind a whole block of thinking: nothing of the reply is left, once and for all") {
  Place place;
  auto conversation = Place::conversation();
  {
    auto journal = place.begin("s1");
    conversation.history.append(said(Role::user, "do it"));
    journal->keep(conversation);
    journal->keep_block(0, ThinkingBlock{"so", "SIG=="});
    REQUIRE(synced(*journal).has_value());
  }
  for (int round = 0; round < 2; ++round) {
    place.restart();
    auto opened = place.open("s1");
    REQUIRE(opened.has_value());
    CHECK(text(opened->conversation.history) == text(conversation.history));
    CHECK(place.draft("s1") == 0);
  }
  auto opened = place.open("s1");
  REQUIRE(opened.has_value());
  opened->conversation.history.append(said(Role::user, "go on"));
  REQUIRE(opened->conversation.history.view().size() == 1);  // joined: roles alternate
  CHECK(opened->conversation.history.view()[0]->blocks.size() == 2);
}

TEST_CASE("the id of a call that a kill interrupted is not given again") {
  Place place;
  {
    auto conversation = Place::conversation();
    auto journal = place.begin("s1");
    conversation.history.append(said(Role::user, "go"));
    journal->keep(conversation);
    journal->keep_block(0, ToolUseBlock{"t1", "Read", Json::object()});
    REQUIRE(synced(*journal).has_value());
  }
  place.restart();
  auto opened = place.open("s1");
  REQUIRE(opened.has_value());
  CHECK(!opened->conversation.history.claim_tool_use_id("t1"));
}

TEST_CASE("one writer at a time; another one finds out that it must read anew") {
  Place place;
  auto conversation = Place::conversation();
  auto journal = place.begin("s1", "w1");
  conversation.history.append(said(Role::user, "hello"));
  journal->keep(conversation);
  REQUIRE(synced(*journal).has_value());
  const auto refused = place.open("s1", "w2");
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == Code::session_locked);
  CHECK(refused.error().message.find(std::to_string(getpid())) != std::string::npos);

  journal->release();
  CHECK(*claimed(*journal) == Claim::ours);  // nobody came in between
  journal->release();
  auto other = place.open("s1", "w2");
  REQUIRE(other.has_value());
  const auto held = claimed(*journal);
  REQUIRE(!held.has_value());
  CHECK(held.error().code == Code::session_locked);
  other->journal->release();
  CHECK(*claimed(*journal) == Claim::stale);
}

TEST_CASE("no such session, and no lock file for it") {
  Place place;
  const auto opened = place.open("nobody");
  REQUIRE(!opened.has_value());
  CHECK(opened.error().code == Code::not_found);
  CHECK(!std::filesystem::exists(place.path + "/locks"));
}

TEST_CASE("a session that was deleted meanwhile is not written any more") {
  Place place;
  auto conversation = Place::conversation();
  auto journal = place.begin("s1");
  REQUIRE(synced(*journal).has_value());
  std::promise<bool> removed;
  place.thread->post([&](const Result<SessionStore*>& store) {
    removed.set_value((*store)->remove("s1").has_value());
  });
  REQUIRE(removed.get_future().get());
  conversation.history.append(said(Role::user, "hello"));
  journal->keep(conversation);
  CHECK(!synced(*journal).has_value());
  CHECK(!synced(*journal).has_value());  // and goes on saying so
}

TEST_CASE("a store that cannot be opened is told of; what was said waits for it") {
  Place place;
  place.thread = std::make_shared<StoreThread>(place.path + "/sessions.db", Durability::normal,
                                               std::chrono::milliseconds(0));
  std::ofstream(place.path + "/sessions.db") << std::string(8192, 'x');  // no database
  auto conversation = Place::conversation();
  auto journal = place.begin("s1");
  conversation.history.append(said(Role::user, "hello"));
  journal->keep(conversation);
  const auto kept = synced(*journal);
  REQUIRE(!kept.has_value());
  CHECK(kept.error().code == Code::unavailable);
  // It goes on, is in memory when the next run claims it, and is stored with all it has.
  journal->release();
  CHECK(*claimed(*journal) == Claim::ours);
  conversation.history.append(said(Role::assistant, "hi"));
  journal->keep(conversation);
  CHECK(!synced(*journal).has_value());
  std::filesystem::remove(place.path + "/sessions.db");
  REQUIRE(synced(*journal).has_value());
  journal.reset();
  place.restart();
  const auto opened = place.open("s1");
  REQUIRE(opened.has_value());
  CHECK(text(opened->conversation.history) == text(conversation.history));
}

TEST_CASE("a job that throws gets its answer, and the next one is done") {
  Place place;
  std::promise<Code> answer;
  place.thread->post([&](const Result<SessionStore*>& store) {
    if (store) throw std::runtime_error("out of range");
    answer.set_value(store.error().code);
  });
  CHECK(answer.get_future().get() == Code::io);
  auto journal = place.begin("s1");
  CHECK(synced(*journal).has_value());
}

TEST_CASE("a clock that goes back does not put a session behind older ones") {
  Place place;
  auto conversation = Place::conversation();
  auto journal = place.begin("s1");
  place.clock.set(5'000);
  journal->keep_state(conversation);
  place.clock.set(10);
  journal->keep_state(conversation);
  REQUIRE(synced(*journal).has_value());
  journal.reset();
  place.restart();
  CHECK(place.open("s1")->row.updated == 5'000);
}
