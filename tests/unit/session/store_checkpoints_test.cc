// The tables of checkpoints: each content once, at most so much of it, and nothing left of a
// session that is gone.
#include "session/store_checkpoints.h"

#include "checkpoint_ground.h"

using namespace agentd;
using namespace agentd::session;
using namespace agentd::session::test;
using agent::FileBefore;

namespace {

FileBefore before(const std::string& path, const std::string& content, const std::string& becomes) {
  return {path, FileBefore::Was::kept, 0644, content, platform::hash_content(becomes)};
}

struct Rig {
  Rig() {
    for (const char* id : {"s1", "s2"}) {
      REQUIRE(store.add({id, std::nullopt, "/w", "", 1, 1, "{}"}).has_value());
    }
  }
  void add(const std::string& session, std::int64_t log_size, const FileBefore& file) {
    REQUIRE(table.add(session, {"r1", "t1", log_size}, file).has_value());
  }
  template <class Part>
  void whole(const Part& part) {
    auto transaction = Transaction::begin(database);
    REQUIRE(transaction.has_value());
    REQUIRE(part(*transaction).has_value());
    REQUIRE(transaction->commit().has_value());
  }
  std::int64_t count(const std::string& table_name) {
    auto counted = database.prepare("SELECT count(*) FROM " + table_name);
    REQUIRE(counted->step().has_value());
    return counted->integer(0);
  }

  Directory kept;
  SessionStore store = open_store(kept / "sessions.db");
  Database database = std::move(*Database::open(kept / "sessions.db", Durability::normal));
  CheckpointTable table{database, 100};
};

}  // namespace

TEST_CASE("a change comes back as it was told") {
  Rig rig;
  const std::string bytes("\0\xff'", 3);
  rig.add("s1", 4, before("/a", bytes, "x"));
  rig.add("s1", 4, {"/b", FileBefore::Was::absent, 0, "", platform::hash_content("y")});
  rig.add("s1", 6, {"/c", FileBefore::Was::not_kept, 04755, "", platform::hash_content("")});
  rig.add("s2", 4, before("/d", "other session", "x"));
  const auto changes = rig.table.since("s1", 4);
  REQUIRE(changes.has_value());
  REQUIRE(changes->size() == 3);
  const auto& first = changes->at(0);
  CHECK(first.path == "/a");
  CHECK(first.was == FileBefore::Was::kept);
  CHECK(first.mode == 0644);
  CHECK(first.before == platform::hash_content(bytes));
  CHECK(first.after == platform::hash_content("x"));
  CHECK(first.stored);
  CHECK(rig.table.content("s1", *first.before).value() == bytes);
  CHECK(rig.table.content("s2", *first.before).error().code == Code::not_found);
  CHECK(changes->at(1).was == FileBefore::Was::absent);
  CHECK(!changes->at(1).before);
  CHECK(changes->at(2).was == FileBefore::Was::not_kept);
  CHECK(changes->at(2).mode == 04755);
  CHECK(rig.table.since("s1", 5)->size() == 1);
  CHECK(rig.table.since("s1", 7)->empty());
}

TEST_CASE("a content that a file returns to is kept once") {
  Rig rig;
  for (int i = 0; i < 5; ++i) {
    rig.add("s1", i, before("/f", "A", "B"));
    rig.add("s1", i, before("/f", "B", "A"));
  }
  CHECK(rig.count("checkpoint") == 10);
  CHECK(rig.count("file_content") == 2);
  rig.add("s2", 1, before("/f", "A", "B"));
  CHECK(rig.count("file_content") == 3);  // each session its own: they go with it
}

TEST_CASE("above the bound those go that were not needed for longest") {
  Rig rig;
  const std::string one(40, '1');
  const std::string two(40, '2');
  const std::string three(40, '3');
  rig.add("s2", 1, before("/f", one, "x"));
  rig.add("s1", 1, before("/f", one, "x"));
  rig.add("s1", 1, before("/g", two, "x"));
  rig.add("s1", 1, before("/f", one, "x"));  // needed again
  rig.add("s1", 1, before("/h", three, "x"));
  const auto changes = rig.table.since("s1", 0);
  REQUIRE(changes->size() == 4);
  CHECK(changes->at(0).stored);
  CHECK(!changes->at(1).stored);
  CHECK(changes->at(2).stored);
  CHECK(changes->at(3).stored);
  CHECK(rig.table.since("s2", 0)->at(0).stored);  // the bound is each session's
  rig.add("s1", 1, before("/big", std::string(100, 'x'), "y"));
  CHECK(rig.table.since("s1", 0)->at(4).stored);
  CHECK(!rig.table.since("s1", 0)->at(3).stored);
}

TEST_CASE("nothing is left of a session that is removed") {
  Rig rig;
  rig.add("s1", 1, before("/f", "A", "B"));
  FileChange change{"/f", FileBefore::Was::kept, 0644, platform::hash_content("B"), true, {}};
  REQUIRE(rig.table.begin_rewind("s1", {{change, "B"}}).has_value());
  REQUIRE(rig.table.last_rewind("s1")->has_value());
  REQUIRE(rig.store.remove("s1").has_value());
  for (const char* name : {"checkpoint", "file_content", "file_rewind", "rewound_file"}) {
    CAPTURE(name);
    CHECK(rig.count(name) == 0);
  }
  CHECK(rig.table.add("s1", {"r1", "t1", 1}, before("/f", "A", "B")).error().code ==
        Code::conflict);  // there is no such session
}

TEST_CASE("a rewind is under way until it is finished, and gone when it is dropped") {
  Rig rig;
  rig.add("s1", 1, before("/f", "A", "B"));
  rig.add("s1", 3, before("/f", "B", "C"));
  FileChange change{"/f", FileBefore::Was::kept,      0600, platform::hash_content("C"),
                    true, platform::hash_content("B")};
  REQUIRE(rig.table.begin_rewind("s1", {{change, "C"}}).has_value());
  auto last = rig.table.last_rewind("s1");
  REQUIRE(last->has_value());
  CHECK(!(*last)->finished);
  CHECK(rig.table.since("s1", 3)->size() == 1);
  rig.whole([&](const Transaction& whole) { return rig.table.finish_rewind(whole, "s1", 3); });
  last = rig.table.last_rewind("s1");
  CHECK((*last)->finished);
  REQUIRE((*last)->files.size() == 1);
  const auto& file = (*last)->files[0];
  CHECK(file.path == "/f");
  CHECK(file.mode == 0600);
  CHECK(file.before == platform::hash_content("C"));
  CHECK(file.after == platform::hash_content("B"));
  CHECK(file.stored);
  CHECK(rig.table.since("s1", 0)->size() == 1);
  rig.whole([&](const Transaction& whole) { return rig.table.drop_rewind(whole, "s1"); });
  CHECK(!rig.table.last_rewind("s1")->has_value());
  CHECK(rig.table.since("s1", 0)->size() == 2);
  CHECK(rig.count("file_content") == 2);  // A and B; C was the rewind's alone
}

TEST_CASE("a cut of the log moves the changes of what was cut to the cut") {
  Rig rig;
  rig.add("s1", 3, before("/f", "A", "B"));
  rig.add("s1", 7, before("/f", "B", "C"));
  rig.whole([&](const Transaction& whole) { return rig.table.log_was_cut(whole, "s1", 5); });
  CHECK(rig.table.since("s1", 6)->empty());
  CHECK(rig.table.since("s1", 5)->size() == 1);
  CHECK(rig.table.since("s1", 3)->size() == 2);
  rig.whole([&](const Transaction& whole) { return rig.table.log_was_cut(whole, "s1", 4); });
  CHECK(rig.table.since("s1", 5)->empty());
  REQUIRE(rig.table.log_cut_was_undone("s1").has_value());  // of the second alone
  CHECK(rig.table.since("s1", 6)->empty());
  CHECK(rig.table.since("s1", 5)->size() == 1);
  REQUIRE(rig.table.log_cut_was_undone("s1").has_value());
  CHECK(rig.table.since("s1", 5)->size() == 1);
}
