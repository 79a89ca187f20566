// Rewinds that do not get to their end: a write that fails, a user who is quicker, a kill at every
// moment. Each file is either as it was or as it becomes, and nothing is lost.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint_ground.h"
#include "session/file_rewind.h"

using namespace agentd;
using namespace agentd::session;
using namespace agentd::session::test;
namespace fs = std::filesystem;

namespace {

// Three files: two edited, one made. In the order in which a rewind takes them.
struct Rig : Ground {
  Rig() {
    put(path("a"), "A");
    put(path("b"), "A");
    agent_writes(1, "a", "B");
    agent_writes(1, "b", "B");
    agent_writes(1, "c", "B");
  }
  std::string all() const { return get(path("a")) + get(path("b")) + get(path("c")); }

  Result<FileRewind> rewind() { return rewind_files(store, files, "s1", 1); }
  Result<FileRewind> undo() { return undo_file_rewind(store, files, "s1"); }

  // The change of `name` fails, this once.
  void fail_at(const std::string& name) {
    files.before = [at = path(name), failed = false](const std::string& changed) mutable {
      if (failed || changed != at) return Result<void>();
      failed = true;
      return Result<void>(make_error(Code::io, "cannot write " + changed + ": disk full", changed));
    };
  }

  enum class Act { rewind, undo };
  void kill_during(Act act, const std::string& name, bool after);
};

// `act` in a process that is killed before or after it changes the file.
void Rig::kill_during(Act act, const std::string& name, bool after) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    const auto die = [at = path(name)](const std::string& changed) {
      if (changed == at) ::kill(::getpid(), SIGKILL);
    };
    if (after) {
      files.after = die;
    } else {
      files.before = [die](const std::string& changed) {
        die(changed);
        return Result<void>();
      };
    }
    auto own = SessionStore::open(kept / "sessions.db", Durability::normal);
    if (!own) ::_exit(2);
    static_cast<void>(act == Act::rewind ? rewind_files(*own, files, "s1", 1)
                                         : undo_file_rewind(*own, files, "s1"));
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFSIGNALED(status));
}

constexpr const char* kNames[] = {"a", "b", "c"};

}  // namespace

TEST_CASE("a write that fails: those before it are put back, and the error says which it was") {
  for (const char* name : kNames) {
    CAPTURE(name);
    Rig rig;
    rig.fail_at(name);
    const auto failed = rig.rewind();
    REQUIRE(!failed.has_value());
    CHECK(failed.error().message.find(rig.path(name)) != std::string::npos);
    CHECK(failed.error().message.find("nothing was changed") != std::string::npos);
    CHECK(rig.all() == "BBB");
    CHECK(rig.undo().error().code == Code::not_found);
    REQUIRE(rig.rewind().has_value());  // it can be tried again
    CHECK(rig.all() == "AA(none)");
    rig.fail_at(name);
    CHECK(!rig.undo().has_value());
    CHECK(rig.all() == "AA(none)");
    REQUIRE(rig.undo().has_value());
    CHECK(rig.all() == "BBB");
  }
}

TEST_CASE("what cannot be put back is named, and put back later") {
  Rig rig;
  bool full = false;
  rig.files.before = [&](const std::string& changed) {
    full = full || changed == rig.path("b");
    if (!full) return Result<void>();
    return Result<void>(make_error(Code::io, "disk full"));
  };
  const auto failed = rig.rewind();
  REQUIRE(!failed.has_value());
  CHECK(failed.error().message.find("could not be put back: " + rig.path("a")) !=
        std::string::npos);
  CHECK(rig.all() == "ABB");
  rig.files.before = [](const std::string&) { return Result<void>(); };
  REQUIRE(repair_file_rewind(rig.store, rig.files, "s1").has_value());
  CHECK(rig.all() == "BBB");
}

TEST_CASE("what the user changed after the rewind did is not put back") {
  Rig rig;
  rig.files.before = [&](const std::string& changed) {
    if (changed != rig.path("b")) return Result<void>();
    put(rig.path("a"), "user");
    return Result<void>(make_error(Code::io, "disk full"));
  };
  const auto failed = rig.rewind();
  REQUIRE(!failed.has_value());
  CHECK(failed.error().message.find("could not be put back: " + rig.path("a")) !=
        std::string::npos);
  CHECK(rig.all() == "userBB");
}

TEST_CASE("a store that fails when the files are done: all of them are put back") {
  Rig rig;
  auto database = Database::open(rig.kept / "sessions.db", Durability::normal);
  REQUIRE(database
              ->execute("CREATE TRIGGER broken BEFORE UPDATE ON file_rewind"
                        " BEGIN SELECT RAISE(ABORT, 'broken'); END")
              .has_value());
  const auto failed = rig.rewind();
  REQUIRE(!failed.has_value());
  CHECK(failed.error().message.find("broken") != std::string::npos);
  CHECK(rig.all() == "BBB");
  CHECK(rig.undo().error().code == Code::not_found);
  REQUIRE(database->execute("DROP TRIGGER broken").has_value());
  REQUIRE(rig.rewind().has_value());
  CHECK(rig.all() == "AA(none)");
}

TEST_CASE("a user who is quicker: each file is looked at again right before") {
  Rig rig;
  rig.files.after = [&](const std::string& changed) {
    if (changed == rig.path("a")) put(rig.path("b"), "user");
  };
  const auto failed = rig.rewind();
  REQUIRE(!failed.has_value());
  CHECK(failed.error().code == Code::conflict);
  CHECK(failed.error().where == rig.path("b"));
  CHECK(rig.all() == "BuserB");
}

TEST_CASE("killed at any moment of a rewind, it is put back and can be made again") {
  enum class First { repair, rewind, undo };
  for (const char* name : kNames) {
    for (const bool after : {false, true}) {
      for (const auto first : {First::repair, First::rewind, First::undo}) {
        CAPTURE(name);
        CAPTURE(after);
        CAPTURE(static_cast<int>(first));
        Rig rig;
        rig.kill_during(Rig::Act::rewind, name, after);
        if (first == First::repair) {
          REQUIRE(repair_file_rewind(rig.store, rig.files, "s1").has_value());
          CHECK(rig.undo().error().code == Code::not_found);
        }
        if (first == First::undo) REQUIRE(rig.undo().has_value());
        if (first != First::rewind) CHECK(rig.all() == "BBB");
        REQUIRE(rig.rewind().has_value());
        CHECK(rig.all() == "AA(none)");
        REQUIRE(rig.undo().has_value());
        CHECK(rig.all() == "BBB");
      }
    }
  }
}

TEST_CASE("killed at any moment of an undo, it can be made again") {
  for (const char* name : kNames) {
    for (const bool after : {false, true}) {
      CAPTURE(name);
      CAPTURE(after);
      Rig rig;
      REQUIRE(rig.rewind().has_value());
      rig.kill_during(Rig::Act::undo, name, after);
      REQUIRE(repair_file_rewind(rig.store, rig.files, "s1").has_value());
      REQUIRE(rig.undo().has_value());
      CHECK(rig.all() == "BBB");
      REQUIRE(rig.rewind().has_value());
      CHECK(rig.all() == "AA(none)");
    }
  }
}

TEST_CASE("a repair leaves what the user changed meanwhile, and the next rewind tells of it") {
  Rig rig;
  rig.kill_during(Rig::Act::rewind, "b", true);
  put(rig.path("b"), "user");
  REQUIRE(repair_file_rewind(rig.store, rig.files, "s1").has_value());
  CHECK(rig.all() == "BuserB");
  const auto refused = rig.rewind();
  REQUIRE(refused.has_value());
  REQUIRE(refused->conflicts.size() == 1);
  CHECK(refused->conflicts[0].path == rig.path("b"));
}
