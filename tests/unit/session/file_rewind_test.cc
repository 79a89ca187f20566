// Rewinds on real files and a real store: bytes, modes and absence come back, conflicts stop all of
// it, and what was taken away comes back once.
#include "session/file_rewind.h"

#include <sys/stat.h>

#include "checkpoint_ground.h"

using namespace agentd;
using namespace agentd::session;
using namespace agentd::session::test;
using Paths = std::vector<std::string>;
using Why = FileConflict::Why;
namespace fs = std::filesystem;

namespace {

const std::string kBinary("\xff\xfe\0\r\n\x80 no newline", 15);

struct Rig : Ground {
  FileRewind rewind(std::int64_t log_size) {
    auto done = rewind_files(store, files, "s1", log_size);
    REQUIRE_MESSAGE(done.has_value(), done.error().message);
    return std::move(*done);
  }
  FileRewind undo() {
    auto done = undo_file_rewind(store, files, "s1");
    REQUIRE_MESSAGE(done.has_value(), done.error().message);
    return std::move(*done);
  }
  bool can_undo() {
    auto done = undo_file_rewind(store, files, "s1");
    REQUIRE((done.has_value() || done.error().code == Code::not_found));
    return done.has_value();
  }
  std::int64_t contents() {
    auto database = Database::open(kept / "sessions.db", Durability::normal);
    auto count = database->prepare("SELECT count(*) FROM file_content");
    REQUIRE(count->step().has_value());
    return count->integer(0);
  }
};

void check_conflict(const FileRewind& rewind, const std::string& path, Why why) {
  REQUIRE(rewind.conflicts.size() == 1);
  CHECK(rewind.conflicts[0].path == path);
  CHECK(rewind.conflicts[0].why == why);
  CHECK(!describe(rewind.conflicts[0]).empty());
  CHECK(rewind.restored.empty());
  CHECK(rewind.removed.empty());
}

}  // namespace

TEST_CASE("what was changed since a point becomes what it was, and back again once") {
  Rig rig;
  put(rig.path("bytes"), kBinary);
  put(rig.path("empty"), "");
  put(rig.path("early"), "0");
  REQUIRE(::chmod(rig.path("bytes").c_str(), 0600) == 0);
  REQUIRE(::chmod(rig.path("empty").c_str(), 0755) == 0);
  rig.agent_writes(1, "early", "1");
  rig.agent_writes(3, "bytes", "a");
  rig.agent_writes(3, "empty", "b");
  rig.agent_writes(5, "bytes", "c");
  rig.agent_writes(5, "new/deep/file", kBinary);
  REQUIRE(::chmod(rig.path("new/deep/file").c_str(), 0700) == 0);

  const auto done = rig.rewind(3);
  CHECK(done.conflicts.empty());
  CHECK(done.restored == Paths{rig.path("bytes"), rig.path("empty")});
  CHECK(done.removed == Paths{rig.path("new/deep/file")});
  CHECK(get(rig.path("bytes")) == kBinary);
  CHECK(mode_of(rig.path("bytes")) == 0600);
  CHECK(get(rig.path("empty")).empty());
  CHECK(mode_of(rig.path("empty")) == 0755);
  CHECK(get(rig.path("early")) == "1");
  CHECK(get(rig.path("new/deep/file")) == "(none)");

  const auto undone = rig.undo();
  CHECK(undone.conflicts.empty());
  CHECK(undone.restored.size() == 3);
  CHECK(get(rig.path("bytes")) == "c");
  CHECK(mode_of(rig.path("bytes")) == 0600);
  CHECK(get(rig.path("empty")) == "b");
  CHECK(get(rig.path("new/deep/file")) == kBinary);
  CHECK(mode_of(rig.path("new/deep/file")) == 0700);
  CHECK(!rig.can_undo());
}

TEST_CASE("a rewind can go on further back, and after an undo begins anew") {
  Rig rig;
  put(rig.path("f"), "A");
  rig.agent_writes(1, "f", "B");
  rig.agent_writes(3, "f", "C");
  CHECK(rig.rewind(3).restored.size() == 1);
  CHECK(get(rig.path("f")) == "B");
  CHECK(rig.rewind(3).restored.empty());  // nothing is left to take back there
  rig.undo();
  CHECK(get(rig.path("f")) == "C");
  CHECK(rig.rewind(3).restored.size() == 1);
  CHECK(rig.rewind(1).restored.size() == 1);
  CHECK(get(rig.path("f")) == "A");
  rig.undo();  // of the second one alone
  CHECK(get(rig.path("f")) == "B");
  CHECK(!rig.can_undo());
  CHECK(rig.rewind(0).restored.size() == 1);
  CHECK(get(rig.path("f")) == "A");
}

TEST_CASE("a change by the agent makes a rewind final") {
  Rig rig;
  put(rig.path("f"), "A");
  rig.agent_writes(1, "f", "B");
  rig.rewind(1);
  rig.agent_writes(1, "g", "x");
  CHECK(!rig.can_undo());
  CHECK(rig.contents() == 0);  // what only the undo needed is gone
  const auto again = rig.rewind(0);
  CHECK(again.restored.empty());
  CHECK(again.removed == Paths{rig.path("g")});
  CHECK(get(rig.path("f")) == "A");
}

TEST_CASE("what the user did since is never overwritten") {
  Rig rig;
  put(rig.path("a"), "A");
  put(rig.path("b"), "A");
  rig.agent_writes(1, "a", "B");
  rig.agent_writes(1, "b", "B");
  SUBCASE("changed") {
    put(rig.path("b"), "user");
    check_conflict(rig.rewind(1), rig.path("b"), Why::changed);
    CHECK(get(rig.path("b")) == "user");
  }
  SUBCASE("removed") {
    fs::remove(rig.path("b"));
    check_conflict(rig.rewind(1), rig.path("b"), Why::removed);
    CHECK(get(rig.path("b")) == "(none)");
  }
  SUBCASE("a link in its place") {
    fs::remove(rig.path("b"));
    put(rig.path("far"), "B");
    fs::create_symlink("far", rig.path("b"));
    check_conflict(rig.rewind(1), rig.path("b"), Why::not_restorable);
    CHECK(get(rig.path("far")) == "B");
  }
  SUBCASE("a directory in its place") {
    fs::remove(rig.path("b"));
    fs::create_directory(rig.path("b"));
    check_conflict(rig.rewind(1), rig.path("b"), Why::not_restorable);
  }
  SUBCASE("changed between two changes of the agent") {
    put(rig.path("b"), "user");
    rig.agent_writes(3, "b", "C");
    check_conflict(rig.rewind(1), rig.path("b"), Why::changed_between);
    CHECK(rig.rewind(3).restored == Paths{rig.path("b")});  // that far it can
    CHECK(get(rig.path("b")) == "user");
  }
  CHECK(get(rig.path("a")) == "B");  // of conflicts nothing is done
}

TEST_CASE("a directory that is gone, or became a link") {
  Rig rig;
  fs::create_directory(rig.path("sub"));
  put(rig.path("sub/f"), "A");
  rig.agent_writes(1, "sub/f", "B");
  rig.agent_writes(1, "made/f", "B");
  SUBCASE("gone") {
    fs::remove_all(rig.path("sub"));
    fs::remove_all(rig.path("made"));
    check_conflict(rig.rewind(1), rig.path("sub/f"), Why::removed);  // the other is as it was
  }
  SUBCASE("a link") {
    fs::rename(rig.path("sub"), rig.path("elsewhere"));
    fs::create_directory_symlink("elsewhere", rig.path("sub"));
    check_conflict(rig.rewind(1), rig.path("sub/f"), Why::not_restorable);
    CHECK(get(rig.path("elsewhere/f")) == "B");
  }
  SUBCASE("gone after the rewind") {
    rig.rewind(1);
    fs::remove_all(rig.path("made"));
    rig.undo();
    CHECK(get(rig.path("made/f")) == "B");
  }
}

TEST_CASE("the mode a file has now is the user's") {
  Rig rig;
  put(rig.path("f"), "A");
  REQUIRE(::chmod(rig.path("f").c_str(), 0644) == 0);
  rig.agent_writes(1, "f", "B");
  REQUIRE(::chmod(rig.path("f").c_str(), 0600) == 0);
  rig.rewind(1);
  CHECK(get(rig.path("f")) == "A");
  CHECK(mode_of(rig.path("f")) == 0600);
}

TEST_CASE("an undo refuses what was changed since the rewind") {
  Rig rig;
  put(rig.path("a"), "A");
  rig.agent_writes(1, "a", "B");
  rig.agent_writes(1, "new", "B");
  rig.rewind(1);
  put(rig.path("new"), "user");
  check_conflict(rig.undo(), rig.path("new"), Why::changed);
  CHECK(get(rig.path("a")) == "A");
  CHECK(get(rig.path("new")) == "user");
  fs::remove(rig.path("new"));
  CHECK(rig.undo().restored.size() == 2);  // it was not used up
  CHECK(get(rig.path("new")) == "B");
}

TEST_CASE("nothing to take back is no rewind, and leaves the last one to be undone") {
  Rig rig;
  CHECK(!rig.can_undo());
  put(rig.path("f"), "A");
  rig.agent_writes(1, "f", "B");
  rig.rewind(1);
  CHECK(rig.rewind(1).restored.empty());
  CHECK(rig.undo().restored.size() == 1);
}

TEST_CASE("a log that was cut without its files: they change with what follows no more") {
  Rig rig;
  put(rig.path("old"), "A");
  put(rig.path("f"), "A");
  rig.agent_writes(7, "old", "B");
  {
    auto transaction = rig.store.begin();
    REQUIRE(rig.store.checkpoints().log_was_cut(*transaction, "s1", 3).has_value());
    REQUIRE(transaction->commit().has_value());
  }
  rig.agent_writes(5, "f", "B");
  CHECK(rig.rewind(5).restored == Paths{rig.path("f")});
  CHECK(rig.rewind(3).restored == Paths{rig.path("old")});
}
