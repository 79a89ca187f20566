// The store on a real SQLite file: what is written is read back, in every kind of block, by another
// process's eyes (a second connection), and faults of the file are errors that say so.
#include "session/store.h"

#include <doctest/doctest.h>

#include <fstream>
#include <thread>

#include "session/schema.h"
#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

namespace {

// One of each kind, with what is awkward in texts.
std::vector<MessagePtr> every_block() {
  const std::string awkward = "\"\\\n\t\x01 \xc3\xa4\xf0\x9f\x98\x80 </context>";
  return {
      message(Role::user, {TextBlock{awkward}, ImageBlock{"image/png", "aGk="}}),
      message(
          Role::assistant,
          {ThinkingBlock{"so", "SIG=="}, ThinkingBlock{"", std::nullopt},
           RedactedThinkingBlock{"opaque=="}, TextBlock{"I look."},
           ToolUseBlock{"t1", "Read", {{"n", 18446744073709551615ULL}, {"x", 0.1}, {"s", awkward}}},
           OpaqueBlock{"server_tool_use", R"({"type":"server_tool_use","z":1,"a":2})"}}),
      message(Role::user,
              {ToolResultBlock{"t1", {TextBlock{awkward}, ImageBlock{"image/gif", "eA=="}}, true}}),
  };
}

}  // namespace

TEST_CASE("every kind of block comes back as it was") {
  Directory directory;
  const auto log = every_block();
  {
    auto store = opened(directory);
    REQUIRE(store.add(row("s1")).has_value());
    REQUIRE(store.append("s1", 0, {log[0]}).has_value());
    REQUIRE(store.append("s1", 1, {log[1], log[2]}).has_value());
  }
  const auto loaded = opened(directory).load("s1");
  REQUIRE_MESSAGE(loaded.has_value(), loaded.error().message);
  CHECK(text(loaded->history.log) == text(log));
  CHECK(loaded->row.title == "Title of s1");
  const auto& call = std::get<ToolUseBlock>(loaded->history.log[1]->blocks[4]);
  CHECK(call.input == std::get<ToolUseBlock>(log[1]->blocks[4]).input);
  CHECK(!std::get<ThinkingBlock>(loaded->history.log[1]->blocks[1]).signature);
}

TEST_CASE("changes of the view come back in order") {
  Directory directory;
  auto store = opened(directory);
  REQUIRE(store.add(row("s1")).has_value());
  REQUIRE(store.append_change("s1", 0, {4, context::OutputsCleared{{"t2", "t1"}}}).has_value());
  REQUIRE(store.append_change("s1", 1, {5, context::Compacted{{TextBlock{"sum"}}, 3}}).has_value());
  REQUIRE(store.append_change("s1", 2, {6, context::ImagesReplaced{"gone"}}).has_value());
  REQUIRE(store.append_change("s1", 3, {7, context::ThinkingStripped{}}).has_value());
  const auto loaded = store.load("s1");
  REQUIRE(loaded.has_value());
  REQUIRE(loaded->history.changes.size() == 4);
  CHECK(loaded->history.changes[0].log_size == 4);
  CHECK(std::get<context::OutputsCleared>(loaded->history.changes[0].change)
            .tool_use_ids.count("t1") == 1);
  const auto& compacted = std::get<context::Compacted>(loaded->history.changes[1].change);
  CHECK(compacted.keep_from == 3);
  CHECK(std::get<TextBlock>(compacted.head.at(0)).text == "sum");
  CHECK(std::get<context::ImagesReplaced>(loaded->history.changes[2].change).note == "gone");
  CHECK(std::holds_alternative<context::ThinkingStripped>(loaded->history.changes[3].change));
}

TEST_CASE("a draft tells what may have run, and is void with the message it becomes") {
  Directory directory;
  auto store = opened(directory);
  REQUIRE(store.add(row("s1")).has_value());
  REQUIRE(store.put_draft("s1", 0, TextBlock{"I look."}).has_value());
  for (int i = 1; i <= 3; ++i) {
    const std::string id = "t" + std::to_string(i);
    REQUIRE(store.put_draft("s1", i, ToolUseBlock{id, "Bash", {{"command", "x"}}}).has_value());
  }
  REQUIRE(store.draft_began("s1", "t1").has_value());
  REQUIRE(store.draft_began("s1", "t2").has_value());
  REQUIRE(store.draft_settled("s1", {"t1", {TextBlock{"done"}}, false}).has_value());
  auto loaded = store.load("s1");
  REQUIRE(loaded.has_value());
  REQUIRE(loaded->draft.size() == 4);
  CHECK(std::get<TextBlock>(loaded->draft[0].block).text == "I look.");
  REQUIRE(loaded->draft[1].result);
  CHECK(text_of(loaded->draft[1].result->content) == "done");
  CHECK(loaded->draft[2].began);
  CHECK(!loaded->draft[2].result);
  CHECK(!loaded->draft[3].began);
  REQUIRE(store.append("s1", 0, every_block()).has_value());
  loaded = store.load("s1");
  REQUIRE(loaded.has_value());
  CHECK(loaded->draft.empty());
}

TEST_CASE("a draft of another shape is an error, whatever is wrong with it") {
  Directory directory;
  auto store = opened(directory);
  done(store.add(row("s1")));
  done(store.put_draft("s1", 0, ToolUseBlock{"t1", "Bash", {{"command", "x"}}}));
  done(store.draft_settled("s1", {"t1", {TextBlock{"done"}}, false}));
  auto database = value_of(Database::open(directory.file(), Durability::normal));
  for (const char* column : {"result", "block"}) {
    for (const char* spoiled :
         {"", "{", "[]", R"({"role":"user","content":[]})", R"({"role":"user","content":"x"})",
          R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})"}) {
      CAPTURE(column);
      CAPTURE(spoiled);
      done(database.execute(std::string("UPDATE draft SET ") + column + "='" + spoiled + "'"));
      CHECK(code_of(store.load("s1")) == Code::io);
    }
  }
  done(store.put_draft("s1", 0, ToolUseBlock{"t1", "Bash", {{"command", "x"}}}));
  done(database.execute(
      R"(UPDATE draft SET result='{"role":"user","content":[{"type":"text","text":"a"}]}')"));
  CHECK(code_of(store.load("s1")) == Code::io);
}

TEST_CASE("an append is whole or not there") {
  Directory directory;
  auto store = opened(directory);
  REQUIRE(store.add(row("s1")).has_value());
  REQUIRE(store.append("s1", 1, {message(Role::user, {TextBlock{"b"}})}).has_value());
  {
    const auto transaction = store.begin();
    REQUIRE(transaction.has_value());
    CHECK(code_of(store.append("s1", 0, every_block())) == Code::conflict);  // its second is there
  }
  const auto loaded = store.load("s1");
  REQUIRE(loaded.has_value());
  CHECK(loaded->history.log.size() == 1);
}

TEST_CASE("sessions are listed by directory, words and time") {
  Directory directory;
  auto store = opened(directory);
  for (int i = 0; i < 5; ++i) REQUIRE(store.add(row("s" + std::to_string(i), i)).has_value());
  auto elsewhere = row("e1", 10);
  elsewhere.workspace = "/else";
  elsewhere.title = "100% of it";
  REQUIRE(store.add(elsewhere).has_value());
  const auto ids = [&](const SessionQuery& query) {
    std::string out;
    const auto rows = store.list(query);
    REQUIRE(rows.has_value());
    for (const auto& each : *rows) out += each.id + " ";
    return out;
  };
  CHECK(ids({}) == "e1 s4 s3 s2 s1 s0 ");
  CHECK(ids({.workspace = "/work", .limit = 2}) == "s4 s3 ");
  CHECK(ids({.workspace = "/work", .after = ListPosition{3, "s3"}, .limit = 2}) == "s2 s1 ");
  CHECK(ids({.title_has = "TITLE OF S3"}) == "s3 ");
  CHECK(ids({.title_has = "0%"}) == "e1 ");
  CHECK(ids({.title_has = "%"}) == "e1 ");
  CHECK(ids({.title_has = "_"}) == "");
}

TEST_CASE("pages of the list skip and repeat nothing where times are the same") {
  Directory directory;
  auto store = opened(directory);
  for (int i = 0; i < 23; ++i) done(store.add(row("s" + std::to_string(i), i / 7)));
  std::string at_once;
  for (const auto& each : value_of(store.list({}))) at_once += each.id + " ";
  std::string by_pages;
  SessionQuery query{.workspace = "/work", .limit = 3};
  while (true) {
    const auto page = value_of(store.list(query));
    if (page.empty()) break;
    for (const auto& each : page) by_pages += each.id + " ";
    query.after = ListPosition{page.back().updated, page.back().id};
  }
  CHECK(by_pages == at_once);
  CHECK(at_once.starts_with("s22 s21 s20 s19 s18 "));
}

TEST_CASE("renamed, removed with all it had, and never found again") {
  Directory directory;
  auto store = opened(directory);
  REQUIRE(store.add(row("s1")).has_value());
  CHECK(code_of(store.add(row("s1"))) == Code::conflict);
  REQUIRE(store.rename("s1", "Better").has_value());
  REQUIRE(store.append("s1", 0, every_block()).has_value());
  REQUIRE(store.add_part("s1", {1, "r1", "agent/runStarted", "{}", 0}).has_value());
  CHECK(store.load("s1")->row.title == "Better");
  REQUIRE(store.remove("s1").has_value());
  CHECK(code_of(store.load("s1")) == Code::not_found);
  CHECK(code_of(store.remove("s1")) == Code::not_found);
  CHECK(code_of(store.rename("s1", "x")) == Code::not_found);
  CHECK(store.parts("s1", 0, 10)->empty());
  REQUIRE(store.add(row("s1")).has_value());  // nothing of the old one comes back
  CHECK(store.load("s1")->history.log.empty());
}

TEST_CASE("parts come in pieces, in order") {
  Directory directory;
  auto store = opened(directory);
  REQUIRE(store.add(row("s1")).has_value());
  for (int i = 1; i <= 5; ++i) {
    REQUIRE(store.add_part("s1", {i, "r1", "m", std::to_string(i), i * 2}).has_value());
  }
  const auto some = store.parts("s1", 2, 2);
  REQUIRE(some.has_value());
  REQUIRE(some->size() == 2);
  CHECK((*some)[0].params == "3");
  CHECK((*some)[1].log_size == 8);
}

TEST_CASE("two processes write to one file") {
  Directory directory;
  opened(directory);
  // Its fault, or nothing.
  const auto write = [&](const std::string& id) -> std::string {
    auto store = SessionStore::open(directory.file(), Durability::normal);
    if (!store) return store.error().message;
    auto written = store->add(row(id));
    for (std::size_t i = 0; written && i < 50; ++i) {
      written = in_transaction(*store, [&](const Transaction&) {
        return store->append(id, i, {message(Role::user, {TextBlock{std::to_string(i)}})});
      });
    }
    return written ? "" : written.error().message;
  };
  std::string fault;
  std::thread other([&] { fault = write("s1"); });
  CHECK(write("s2") == "");
  other.join();
  CHECK(fault == "");
  auto store = opened(directory);
  for (const char* id : {"s1", "s2"}) {
    const auto loaded = store.load(id);
    REQUIRE(loaded.has_value());
    CHECK(loaded->history.log.size() == 50);
  }
}

TEST_CASE("a file that cannot be used is an error that names it") {
  Directory directory;
  std::ofstream(directory.file()) << std::string(5000, 'x');
  auto store = SessionStore::open(directory.file(), Durability::normal);
  CHECK(code_of(store) == Code::unavailable);
  CHECK(store.error().message.find(directory.file()) != std::string::npos);
  CHECK(code_of(SessionStore::open(directory.path + "/no/sessions.db", Durability::normal)) ==
        Code::unavailable);
}

TEST_CASE("a file of a newer agentd is left alone") {
  Directory directory;
  {
    auto database = Database::open(directory.file(), Durability::normal);
    REQUIRE(database.has_value());
    REQUIRE(database->execute("PRAGMA user_version=99").has_value());
  }
  auto store = SessionStore::open(directory.file(), Durability::normal);
  CHECK(code_of(store) == Code::unavailable);
  CHECK(store.error().message.find("newer agentd") != std::string::npos);
}
