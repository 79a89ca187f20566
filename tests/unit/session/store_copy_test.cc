// Forks and rewinds on a real file: where they cut, that nothing of the other side is left or lost,
// and that another process that writes meanwhile does not matter.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

namespace {

/// Writes a session as runs do: parts numbered from 1, each with the size of the log then.
struct Story {
  SessionStore& store;
  std::string session;
  std::int64_t part = 0;
  std::size_t messages = 0;
  std::size_t changes = 0;

  void tell(const std::string& run, const std::string& method, const std::string& params = "{}") {
    done(store.add_part(session,
                        {++part, run, method, params, static_cast<std::int64_t>(messages)}));
  }
  void say(Role role, const std::string& what) {
    done(store.append(session, messages++, {message(role, {TextBlock{what}})}));
  }
  void compact() {
    done(store.append_change(session, changes++,
                             {messages, context::Compacted{{TextBlock{"sum"}}, messages}}));
  }
  void run(const std::string& id) {
    tell(id, "agent/runStarted");
    say(Role::user, "prompt of " + id);
    for (const char* turn : {"1", "2"}) {
      tell(id, "agent/turnStarted", std::string(R"({"turn":)") + turn + "}");
      tell(id, "agent/textDelta", R"({"text":"x"})");
      say(Role::assistant, id + " turn " + turn);
      tell(id, "agent/turnEnded", std::string(R"({"turn":)") + turn + "}");
      if (*turn == '1') {
        tell(id, "agent/attachment", R"({"kind":"message","messageId":"m-)" + id + R"("})");
        say(Role::user, "steered into " + id);
      }
    }
    tell(id, "agent/runEnded");
  }
  // Of agent/compact: no message of its own, only a change.
  void compaction_run(const std::string& id) {
    tell(id, "agent/runStarted");
    compact();
    tell(id, "agent/runEnded");
  }
};

/// Two runs, a compaction by hand between them, and a reply under way.
void tell_story(SessionStore& store, const std::string& session) {
  done(store.add(row(session)));
  Story story{store, session};
  story.run("r1");
  story.compaction_run("c1");
  story.run("r2");
  done(store.put_draft(session, 0, TextBlock{"under way"}));
}

Result<void> fork(SessionStore& store, const std::string& session, const std::string& new_id,
                  const std::optional<Cut>& cut, std::int64_t now) {
  return in_transaction(store, [&](const Transaction& whole) {
    return store.fork(whole, session, new_id, cut, now);
  });
}
Result<void> rewind(SessionStore& store, const std::string& session, const Cut& cut) {
  return in_transaction(
      store, [&](const Transaction& whole) { return store.rewind(whole, session, cut); });
}
Result<void> undo_rewind(SessionStore& store, const std::string& session) {
  return in_transaction(
      store, [&](const Transaction& whole) { return store.undo_rewind(whole, session); });
}

/// All that a session has, on a few lines.
std::string shown(SessionStore& store, const std::string& session) {
  const auto stored = value_of(store.load(session));
  std::string out;
  for (const auto& each : stored.history.log)
    out += std::get<TextBlock>(each->blocks.at(0)).text + "; ";
  out += "| " + std::to_string(stored.history.changes_begin + stored.history.changes.size()) +
         " changes | ";
  for (const Part& part : value_of(store.parts(session, 0, 1000))) {
    out += part.run + part.method.substr(5) + std::to_string(part.log_size) + " ";
  }
  return out + "| " + std::to_string(stored.draft.size()) + " drafts";
}

const std::string kFirstRun =
    "r1/runStarted0 r1/turnStarted1 r1/textDelta1 r1/turnEnded2 r1/attachment2 r1/turnStarted3 "
    "r1/textDelta3 r1/turnEnded4 r1/runEnded4 ";
const std::string kFirstWords = "prompt of r1; r1 turn 1; steered into r1; r1 turn 2; ";

}  // namespace

TEST_CASE("a fork has what was before the cut, to the part") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  const std::string whole = shown(store, "s1");

  SUBCASE("before a run: the end of the one before it is in it") {
    done(fork(store, "s1", "f", value_of(store.cut_before_run("s1", "c1")), 7));
    CHECK(shown(store, "f") == kFirstWords + "| 0 changes | " + kFirstRun + "| 0 drafts");
  }
  SUBCASE("before the next run, where the log is no longer: the compaction is in it") {
    done(fork(store, "s1", "f", value_of(store.cut_before_run("s1", "r2")), 7));
    CHECK(shown(store, "f") ==
          kFirstWords + "| 1 changes | " + kFirstRun + "c1/runStarted4 c1/runEnded4 | 0 drafts");
  }
  SUBCASE("before a turn: what was told between the turns is in it") {
    done(fork(store, "s1", "f", value_of(store.cut_before_turn("s1", "r1", 2)), 7));
    CHECK(shown(store, "f") ==
          "prompt of r1; r1 turn 1; steered into r1; | 0 changes | r1/runStarted0 r1/turnStarted1 "
          "r1/textDelta1 r1/turnEnded2 r1/attachment2 | 0 drafts");
  }
  SUBCASE("before a message of agent/send") {
    done(fork(store, "s1", "f", value_of(store.cut_before_message("s1", "m-r1")), 7));
    CHECK(shown(store, "f") ==
          "prompt of r1; r1 turn 1; | 0 changes | r1/runStarted0 r1/turnStarted1 r1/textDelta1 "
          "r1/turnEnded2 | 0 drafts");
  }
  SUBCASE("before the first run there is nothing") {
    done(fork(store, "s1", "f", value_of(store.cut_before_run("s1", "r1")), 7));
    CHECK(shown(store, "f") == "| 0 changes | | 0 drafts");
  }
  SUBCASE("without a cut it is all of it, the reply under way too") {
    done(fork(store, "s1", "f", std::nullopt, 7));
    CHECK(shown(store, "f") == whole);
  }
  CHECK(shown(store, "s1") == whole);
  const auto fork = value_of(store.load("f")).row;
  CHECK(fork.lineage == "s1");
  CHECK(fork.title == "Title of s1 (fork)");
  CHECK(fork.workspace == "/work");
  CHECK(fork.created == 7);
  CHECK(fork.updated == 7);
}

TEST_CASE("a fork of a fork is not called so twice, and stands when the first is gone") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  const std::string whole = shown(store, "s1");
  done(fork(store, "s1", "f1", std::nullopt, 7));
  done(fork(store, "f1", "f2", std::nullopt, 8));
  CHECK(value_of(store.load("f2")).row.title == "Title of s1 (fork)");
  done(store.remove("s1"));
  done(store.remove("f1"));
  CHECK(shown(store, "f2") == whole);
}

TEST_CASE("of runs that have one id the last is meant, and its turns") {
  Directory directory;
  auto store = opened(directory);
  done(store.add(row("s1")));
  Story story{store, "s1"};
  story.run("r1");  // parts 1 to 9
  story.run("r2");
  story.run("r1");  // parts 19 to 27
  CHECK(value_of(store.cut_before_run("s1", "r1")).part == 19);
  CHECK(value_of(store.cut_before_run("s1", "r2")).part == 10);
  CHECK(value_of(store.cut_before_turn("s1", "r1", 1)).part == 20);
  CHECK(value_of(store.cut_before_turn("s1", "r1", 2)).part == 24);
  CHECK(value_of(store.cut_before_turn("s1", "r2", 2)).part == 15);
}

TEST_CASE("what cannot be forked or cut is said") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  CHECK(code_of(fork(store, "no", "f", std::nullopt, 7)) == Code::not_found);
  CHECK(code_of(store.load("f")) == Code::not_found);
  CHECK(code_of(fork(store, "s1", "s1", std::nullopt, 7)) == Code::conflict);
  CHECK(code_of(store.cut_before_run("s1", "no")) == Code::not_found);
  CHECK(code_of(store.cut_before_run("no", "r1")) == Code::not_found);
  CHECK(code_of(store.cut_before_turn("s1", "r1", 3)) == Code::not_found);
  CHECK(code_of(store.cut_before_message("s1", "m-no")) == Code::not_found);
  CHECK(code_of(rewind(store, "no", {1, 0})) == Code::not_found);
  CHECK(code_of(undo_rewind(store, "s1")) == Code::not_found);
}

TEST_CASE("a rewind takes away, and is undone once") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  const std::string whole = shown(store, "s1");
  done(rewind(store, "s1", value_of(store.cut_before_run("s1", "c1"))));
  CHECK(shown(store, "s1") == kFirstWords + "| 0 changes | " + kFirstRun + "| 0 drafts");
  CHECK(value_of(store.list({})).size() == 1);  // what was taken away is not listed
  done(undo_rewind(store, "s1"));
  CHECK(shown(store, "s1") == whole);
  CHECK(code_of(undo_rewind(store, "s1")) == Code::not_found);
  CHECK(shown(store, "s1") == whole);
}

TEST_CASE("a rewind is not undone behind what was said since") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  const Cut cut = value_of(store.cut_before_run("s1", "r2"));
  done(rewind(store, "s1", cut));
  Story story{store, "s1", cut.part - 1, static_cast<std::size_t>(cut.log_size), 1};
  SUBCASE("a whole run") {
    story.run("r3");
  }
  SUBCASE("only its first word") {
    story.tell("r3", "agent/runStarted");
  }
  SUBCASE("only a message") {
    story.say(Role::user, "on");
  }
  const std::string after = shown(store, "s1");
  CHECK(code_of(undo_rewind(store, "s1")) == Code::conflict);
  CHECK(shown(store, "s1") == after);
}

TEST_CASE("a run that a rewind cut may be closed meanwhile: undone, it has its own end again") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  const std::string whole = shown(store, "s1");
  const Cut cut = value_of(store.cut_before_turn("s1", "r1", 2));
  done(rewind(store, "s1", cut));
  Story story{store, "s1", cut.part - 1, static_cast<std::size_t>(cut.log_size)};
  story.tell("r1", "agent/runEnded");
  done(undo_rewind(store, "s1"));
  CHECK(shown(store, "s1") == whole);
}

TEST_CASE("only the last rewind is kept, and goes with its session") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  done(rewind(store, "s1", value_of(store.cut_before_run("s1", "r2"))));
  const std::string between = shown(store, "s1");
  done(rewind(store, "s1", value_of(store.cut_before_turn("s1", "r1", 2))));
  done(undo_rewind(store, "s1"));
  CHECK(shown(store, "s1") == between);
  done(rewind(store, "s1", value_of(store.cut_before_run("s1", "r1"))));
  done(store.remove("s1"));
  auto database = value_of(Database::open(directory.file(), Durability::normal));
  auto count = value_of(database.prepare(
      "SELECT (SELECT count(*) FROM session)+(SELECT count(*) FROM message)+"
      "(SELECT count(*) FROM change)+(SELECT count(*) FROM part)+(SELECT count(*) FROM draft)"));
  REQUIRE(value_of(count.step()));
  CHECK(count.integer(0) == 0);
}

TEST_CASE("what a rewind took away cannot be reached as a session") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  done(rewind(store, "s1", value_of(store.cut_before_run("s1", "r2"))));
  auto database = value_of(Database::open(directory.file(), Durability::normal));
  auto aside = value_of(database.prepare("SELECT id FROM session WHERE rewound_of='s1'"));
  REQUIRE(value_of(aside.step()));
  const std::string id(aside.text(0));
  CHECK(code_of(store.load(id)) == Code::not_found);
  CHECK(code_of(store.rename(id, "x")) == Code::not_found);
  CHECK(code_of(store.remove(id)) == Code::not_found);
  CHECK(code_of(fork(store, id, "f", std::nullopt, 7)) == Code::not_found);
}

TEST_CASE("a fault half way leaves a fork and a rewind as if they had not been tried") {
  Directory directory;
  auto store = opened(directory);
  tell_story(store, "s1");
  const std::string whole = shown(store, "s1");
  const Cut cut = value_of(store.cut_before_run("s1", "c1"));
  auto database = value_of(Database::open(directory.file(), Durability::normal));
  done(
      database.execute("CREATE TRIGGER no_copy BEFORE INSERT ON part BEGIN"
                       " SELECT raise(ABORT, 'no'); END;"
                       "CREATE TRIGGER no_move BEFORE UPDATE ON part BEGIN"
                       " SELECT raise(ABORT, 'no'); END;"));
  CHECK_FALSE(fork(store, "s1", "f", std::nullopt, 7).has_value());
  CHECK_FALSE(rewind(store, "s1", cut).has_value());
  done(database.execute("DROP TRIGGER no_copy; DROP TRIGGER no_move;"));
  CHECK(code_of(store.load("f")) == Code::not_found);
  CHECK(shown(store, "s1") == whole);
  CHECK(code_of(undo_rewind(store, "s1")) == Code::not_found);
}

TEST_CASE("a fork of a session that another process is writing has no gap") {
  Directory directory;
  auto store = opened(directory);
  done(store.add(row("s1")));
  std::atomic<bool> enough = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    auto other = SessionStore::open(directory.file(), Durability::normal);
    if (!other) return;
    // On a busy machine a statement may wait for the lock in vain: it is made again.
    const auto insist = [&](auto write) {
      while (!enough && !write()) std::this_thread::yield();
    };
    for (std::size_t i = 0; !enough; ++i) {
      const auto number = static_cast<std::int64_t>(i) + 1;
      insist([&] { return other->append("s1", i, {message(Role::user, {TextBlock{"m"}})}); });
      insist([&] { return other->add_part("s1", {number, "r", "agent/textDelta", "{}", number}); });
      if (!enough) written = static_cast<int>(number);
    }
  });
  for (int i = 0; i < 20 || written == 0; ++i) {
    const std::string id = "f" + std::to_string(i);
    const auto before = static_cast<std::size_t>(written);
    const auto forked = fork(store, "s1", id, std::nullopt, 7);
    if (!forked) enough = true;
    REQUIRE_MESSAGE(forked.has_value(), forked.error().message);
    const auto copy = value_of(store.load(id));
    const auto parts = value_of(store.parts(id, 0, 100000));
    CHECK(copy.history.log.size() >= before);
    CHECK(copy.history.log.size() - parts.size() <= 1);  // the part is told behind its message
  }
  enough = true;
  writer.join();
  CHECK(written > 0);
}
