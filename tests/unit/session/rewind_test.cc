// Rewinds of a session as a whole: conversation and files go back together or not at all, whatever
// fails on the way, and the last one comes back once.
#include "session/rewind.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint_ground.h"
#include "faulty_disk.h"
#include "session/stored_state.h"

using namespace agentd;
using namespace agentd::session;
using namespace agentd::session::test;

namespace {

/// A session of two runs: r1 makes "f", r2 changes it and makes "g".
struct Rig : Ground {
  Rig() {
    agent::Conversation conversation;
    conversation.workspace = "/w";
    conversation.cwd = "/w/sub";
    conversation.todos.items.push_back({"Do it", TodoStatus::in_progress, "Doing it"});
    conversation.answered_by = "model-a";
    auto row = store.row("s1");
    REQUIRE(row.has_value());
    row->state = state_json(conversation, {});
    REQUIRE(store.update(*row).has_value());
    run("r1", {"f"});
    run("r2", {"f", "g"});
  }

  void tell(const std::string& id, const std::string& method, const std::string& params = "{}") {
    REQUIRE(store.add_part("s1", {++part, id, method, params, messages}).has_value());
  }
  void say(Role role, const std::string& what) {
    REQUIRE(store
                .append("s1", static_cast<std::size_t>(messages++),
                        {std::make_shared<const Message>(Message{role, {TextBlock{what}}})})
                .has_value());
  }
  void run(const std::string& id, const std::vector<std::string>& names) {
    tell(id, "agent/runStarted");
    say(Role::user, "prompt of " + id);
    tell(id, "agent/turnStarted", R"({"turn":1})");
    for (const std::string& name : names) agent_writes(messages, name, "by " + id);
    say(Role::assistant, "answer of " + id);
    tell(id, "agent/runEnded");
  }
  /// As a run that follows a cut before `run_id`.
  void go_on_behind(const std::string& run_id, const std::string& next) {
    part = cut(run_id).part - 1;
    messages = cut_size;
    run(next, {"h"});
  }
  Cut cut(const std::string& run_id) {
    // Known from here: after a rewind the run cannot be found any more.
    if (run_id == "r1") return {1, cut_size = 0};
    return {4, cut_size = 2};
  }

  Result<FileRewind> rewind(const std::string& run_id, RewindScope scope) {
    return rewind_session(store, files, "s1", cut(run_id), scope);
  }
  Result<FileRewind> undo() { return undo_rewind_session(store, files, "s1"); }
  std::string text(const std::string& name) const { return get(path(name)); }

  /// What was said, what was told, the files, when they count as changed, todos and where it is.
  std::string shown(const std::string& id = "s1") {
    const auto stored = store.load(id);
    REQUIRE_MESSAGE(stored.has_value(), stored.error().message);
    std::string out = std::to_string(stored->history.log.size()) + " messages, " +
                      std::to_string(store.parts(id, 0, 1000)->size()) + " parts; " + text("f") +
                      ", " + text("g") + "; changes:";
    for (std::int64_t size = 0; size <= 5; ++size) {
      out += ' ' + std::to_string(store.checkpoints().since(id, size)->size());
    }
    agent::Conversation conversation;
    REQUIRE(restore_state(stored->row.state, conversation).has_value());
    out += "; " + std::to_string(conversation.todos.items.size()) + " todos in " + conversation.cwd;
    return out + " by " + conversation.answered_by;
  }

  std::int64_t part = 0;
  std::int64_t messages = 0;
  std::int64_t cut_size = 0;
};

constexpr RewindScope kBoth{true, true};
constexpr RewindScope kConversation{true, false};
constexpr RewindScope kFiles{false, true};

void done(const Result<FileRewind>& rewound) {
  REQUIRE_MESSAGE(rewound.has_value(), rewound.error().message);
  REQUIRE(rewound->conflicts.empty());
}

const std::string kWhole =
    "4 messages, 6 parts; by r2, by r2; changes: 3 3 2 2 0 0; 1 todos in /w/sub by model-a";

}  // namespace

TEST_CASE("both go back, or one of them, and come back once") {
  struct Row {
    RewindScope scope;
    const char* rewound;
  };
  const Row rows[] = {
      {kBoth, "2 messages, 3 parts; by r1, (none); changes: 1 1 0 0 0 0; 0 todos in /w by model-a"},
      {kConversation,
       "2 messages, 3 parts; by r2, by r2; changes: 3 3 2 0 0 0; 0 todos in /w by model-a"},
      {kFiles,
       "4 messages, 6 parts; by r1, (none); changes: 1 1 0 0 0 0; 1 todos in /w/sub by model-a"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.rewound);
    Rig rig;
    CHECK(rig.shown() == kWhole);
    done(rig.rewind("r2", row.scope));
    CHECK(rig.shown() == row.rewound);
    done(rig.undo());
    // What it forgot of its surroundings it finds out anew.
    const std::string back = rig.shown();
    CHECK(back.substr(0, back.rfind(';')) == kWhole.substr(0, kWhole.rfind(';')));
    CHECK(rig.undo().error().code == Code::not_found);
  }
}

TEST_CASE("a rewind that is refused leaves the one before it to be undone") {
  Rig rig;
  done(rig.rewind("r2", kBoth));
  const std::string between = rig.shown();
  put(rig.path("f"), "user");
  for (const RewindScope scope : {kBoth, kFiles}) {
    const auto refused = rig.rewind("r1", scope);
    REQUIRE(refused.has_value());
    CHECK(refused->conflicts.size() == 1);
  }
  CHECK(rig.text("f") == "user");
  put(rig.path("f"), "by r1");
  CHECK(rig.shown() == between);
  done(rig.undo());
  CHECK(rig.shown().substr(0, 40) == kWhole.substr(0, 40));
  CHECK(rig.text("g") == "by r2");
}

TEST_CASE("of two rewinds the last comes back, alone") {
  for (const RewindScope scope : {kBoth, kConversation, kFiles}) {
    Rig rig;
    done(rig.rewind("r2", kBoth));
    const std::string between = rig.shown();
    done(rig.rewind("r1", scope));
    CHECK(rig.shown() != between);
    done(rig.undo());
    CHECK(rig.shown() == between);
    CHECK(rig.undo().error().code == Code::not_found);
  }
}

TEST_CASE("a rewind of files that finds none changed is the last one all the same") {
  Rig rig;
  done(rig.rewind("r2", kBoth));
  done(rig.rewind("r2", kFiles));
  CHECK(rig.undo().error().code == Code::not_found);
  CHECK(rig.text("f") == "by r1");
}

TEST_CASE("a session that has gone on keeps what it has") {
  Rig rig;
  done(rig.rewind("r2", kBoth));
  rig.go_on_behind("r2", "r3");
  const std::string gone_on = rig.shown();
  CHECK(rig.undo().error().code == Code::conflict);
  CHECK(rig.shown() == gone_on);
  CHECK(rig.text("h") == "by r3");
}

TEST_CASE("an undo leaves alone what an earlier cut had moved") {
  Rig rig;
  done(rig.rewind("r2", kConversation));
  rig.go_on_behind("r2", "r3");
  const std::string gone_on = rig.shown();
  CHECK(gone_on.find("changes: 4 4 3 1 0 0;") != std::string::npos);
  done(rig.rewind("r2", kBoth));
  CHECK(rig.text("h") == "(none)");
  done(rig.undo());
  CHECK(rig.shown() == gone_on);
}

TEST_CASE("a copy up to a cut has forgotten too, one of all has not") {
  Rig rig;
  REQUIRE(fork_session(rig.store, "s1", "part", rig.cut("r2"), 7).has_value());
  REQUIRE(fork_session(rig.store, "s1", "all", std::nullopt, 7).has_value());
  CHECK(rig.shown("part").ends_with("; 0 todos in /w by model-a"));
  CHECK(rig.shown("all").ends_with("; 1 todos in /w/sub by model-a"));
  CHECK(rig.shown() == kWhole);
}

TEST_CASE("a copy whose state cannot be read is not there at all") {
  Rig rig;
  auto row = rig.store.row("s1");
  row->state = "{}";
  REQUIRE(rig.store.update(*row).has_value());
  CHECK(!fork_session(rig.store, "s1", "part", rig.cut("r2"), 7).has_value());
  CHECK(rig.store.row("part").error().code == Code::not_found);
  const auto parts = rig.store.parts("s1", 0, 100)->size();
  CHECK(!rig.rewind("r2", kBoth).has_value());
  CHECK(rig.store.parts("s1", 0, 100)->size() == parts);
  CHECK(rig.text("f") == "by r2");  // put back
  CHECK(rig.undo().error().code == Code::not_found);
}

TEST_CASE("a disk that fails at any write of a rewind: what was before, or what is after") {
  FaultyDisk disk;
  for (const RewindScope scope : {kBoth, kConversation}) {
    for (const auto lasts : {FaultyDisk::Lasts::once, FaultyDisk::Lasts::until_mended}) {
      bool struck = true;
      int refused = 0;
      for (int at = 1; struck; ++at) {
        CAPTURE(at);
        Rig rig;
        disk.fail_at(at, SQLITE_FULL, lasts);
        const auto rewound = rig.rewind("r2", scope);
        struck = disk.struck();
        disk.mend();
        REQUIRE(repair_file_rewind(rig.store, rig.files, "s1").has_value());
        if (rewound) {
          CHECK(rig.shown().starts_with("2 messages, 3 parts; by r"));
          CHECK((rig.text("f") == "by r1") == scope.files);
          done(rig.undo());
        } else {
          ++refused;
        }
        CHECK(rig.shown().starts_with("4 messages, 6 parts; by r2, by r2; changes: 3 3 2 2 0 0"));
      }
      CHECK(refused > 0);
    }
  }
}

TEST_CASE("a disk that fails at any write of an undo: what was before, or what is after") {
  FaultyDisk disk;
  bool struck = true;
  int refused = 0;
  for (int at = 1; struck; ++at) {
    CAPTURE(at);
    Rig rig;
    done(rig.rewind("r2", kBoth));
    const std::string before = rig.shown();
    disk.fail_at(at, SQLITE_FULL, FaultyDisk::Lasts::until_mended);
    const auto undone = rig.undo();
    struck = disk.struck();
    disk.mend();
    if (!undone) {
      ++refused;
      CHECK(rig.shown() == before);
      done(rig.undo());
    }
    CHECK(rig.shown().starts_with("4 messages, 6 parts; by r2, by r2; changes: 3 3 2 2 0 0"));
  }
  CHECK(refused > 0);
}

TEST_CASE("killed when the files are done and the conversation is not: all is as it was") {
  Rig rig;
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    rig.files.after = [at = rig.path("g")](const std::string& changed) {
      if (changed == at) ::kill(::getpid(), SIGKILL);
    };
    auto own = SessionStore::open(rig.kept / "sessions.db", Durability::normal);
    if (own) static_cast<void>(rewind_session(*own, rig.files, "s1", rig.cut("r2"), kBoth));
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFSIGNALED(status));
  CHECK(rig.text("g") == "(none)");
  REQUIRE(repair_file_rewind(rig.store, rig.files, "s1").has_value());
  CHECK(rig.shown() == kWhole);
}
