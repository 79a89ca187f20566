// A run's checkpoints over the store's thread: kept before the change, and no store holds one up.
#include "session/checkpoints.h"

#include <chrono>
#include <future>
#include <vector>

#include "checkpoint_ground.h"

using namespace agentd;
using namespace agentd::session;
using namespace agentd::session::test;
using agent::FileBefore;

namespace {

FileBefore before(const std::string& path, const std::string& content) {
  return {path, FileBefore::Was::kept, 0644, content, platform::hash_content("new")};
}

// What the store's thread sees of the session, behind all that was posted.
std::vector<FileChange> stored(StoreThread& store) {
  std::promise<std::vector<FileChange>> answer;
  store.post([&](const Result<SessionStore*>& opened) {
    answer.set_value((*opened)->checkpoints().since("s1", 0).value());
  });
  return answer.get_future().get();
}

struct Rig {
  Rig() {
    store.post([](const Result<SessionStore*>& opened) {
      static_cast<void>((*opened)->add({"s1", std::nullopt, "/w", "", 1, 1, "{}"}));
    });
  }

  Directory kept;
  std::shared_ptr<StoreThread> thread =
      std::make_shared<StoreThread>(kept / "sessions.db", Durability::normal);
  StoreThread& store = *thread;
  std::shared_ptr<std::atomic<std::int64_t>> log_size =
      std::make_shared<std::atomic<std::int64_t>>(3);
  SessionCheckpoints checkpoints{thread, "s1", "r1", log_size};
};

}  // namespace

TEST_CASE("when it returns the file is kept, with the log's size of that moment") {
  Rig rig;
  rig.checkpoints.before_change("t1", before("/a", "A"));
  {
    auto other = open_store(rig.kept / "sessions.db");  // as another process sees it
    CHECK(other.checkpoints().since("s1", 3)->size() == 1);
    CHECK(other.checkpoints().since("s1", 4)->empty());
  }
  rig.log_size->store(5);
  rig.checkpoints.before_change("t2", before("/b", "B"));
  const auto changes = stored(rig.store);
  REQUIRE(changes.size() == 2);
  CHECK(changes[1].path == "/b");
  CHECK(changes[1].stored);
}

TEST_CASE("a content that finds no room leaves word of the change") {
  Rig rig;
  CHECK(stored(rig.store).empty());
  {  // As on a disk that is nearly full.
    auto database = Database::open(rig.kept / "sessions.db", Durability::normal);
    REQUIRE(database
                ->execute("CREATE TRIGGER full BEFORE INSERT ON file_content"
                          " BEGIN SELECT RAISE(ABORT, 'full'); END")
                .has_value());
  }
  rig.checkpoints.before_change("t1", before("/a", "A"));
  const auto changes = stored(rig.store);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].was == FileBefore::Was::not_kept);
}

TEST_CASE("a store that cannot be had, or does not answer, holds nothing up for long") {
  const auto began = std::chrono::steady_clock::now();
  const auto took = [&] { return std::chrono::steady_clock::now() - began; };
  SUBCASE("it cannot be had") {
    const auto store = std::make_shared<StoreThread>("/proc/none/sessions.db", Durability::normal);
    SessionCheckpoints checkpoints(store, "s1", "r1",
                                   std::make_shared<std::atomic<std::int64_t>>());
    checkpoints.before_change("t1", before("/a", "A"));
    CHECK(took() < SessionCheckpoints::kLongestWait);  // it was told so
  }
  SUBCASE("it does not answer") {
    Rig rig;
    std::promise<void> release;
    rig.store.post(
        [waited = release.get_future().share()](const Result<SessionStore*>&) { waited.wait(); });
    rig.checkpoints.before_change("t1", before("/a", "A"));
    CHECK(took() >= SessionCheckpoints::kLongestWait);
    CHECK(took() < 5 * SessionCheckpoints::kLongestWait);
    release.set_value();
    CHECK(stored(rig.store).size() == 1);  // kept when the disk came back
  }
}
