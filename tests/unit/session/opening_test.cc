// Opening what is not as it should be: a log that breaks a rule, a rewind that was cut short.
#include "session/opening.h"

#include <doctest/doctest.h>

#include <fstream>
#include <future>

#include "faulty_disk.h"
#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

namespace {

class StillClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(); }
  std::chrono::system_clock::time_point wall() const override { return {}; }
  std::unique_ptr<Timer> after(Duration, std::function<void()>) override { return nullptr; }
};

struct Place {
  template <class Job>
  auto on_thread(Job job) {
    std::promise<std::unique_ptr<decltype(job(std::declval<SessionStore&>()))>> answer;
    thread->post([&](const Result<SessionStore*>& store) {
      REQUIRE(store.has_value());
      answer.set_value(
          std::make_unique<decltype(job(std::declval<SessionStore&>()))>(job(**store)));
    });
    return std::move(*answer.get_future().get());
  }
  Result<OpenedSession> open() {
    return on_thread([&](SessionStore& store) {
      return open_session(store, *files, thread, clock, "w1", "s1");
    });
  }
  SessionStore with_session() {
    auto store = opened(directory);
    SessionRow about = row("s1");
    agent::Conversation fresh;
    about.state = state_json(fresh, {});
    done(store.add(about));
    return store;
  }

  Directory directory;
  StillClock clock;
  std::unique_ptr<platform::Files> files = platform::make_disk_files();
  std::shared_ptr<StoreThread> thread =
      std::make_shared<StoreThread>(directory.file(), Durability::normal);
};

// A call without its result, which is mended by one that says so.
void put_broken_log(SessionStore& store) {
  done(store.append(
      "s1", 0,
      {message(Role::user, {TextBlock{"do it"}}),
       message(Role::assistant, {ToolUseBlock{"t1", "Bash", {{"command", "x"}}}}),
       message(Role::assistant, {TextBlock{"well"}}), message(Role::user, {TextBlock{"go on"}})}));
  done(store.append_change("s1", 0, {2, context::ImagesReplaced{"gone"}}));
}

std::string log_of(SessionStore& store) {
  const auto stored = value_of(store.load("s1")).history;
  return text(stored.log) + std::to_string(stored.changes.size());
}

}  // namespace

TEST_CASE("a log that is mended is written anew, or stays, whichever write fails") {
  FaultyDisk disk;
  std::string mended;
  std::string broken;
  {
    Place place;
    auto store = place.with_session();
    put_broken_log(store);
    broken = log_of(store);
    const auto session = place.open();
    REQUIRE_MESSAGE(session.has_value(), session.error().message);
    mended = log_of(store);
    CHECK(session->conversation.history.log_size() == 5);
    CHECK(value_of(store.load("s1")).history.log.size() == 5);
    CHECK(session->fault == "");
  }
  bool struck = true;
  int stayed = 0;
  for (int at = 1; struck; ++at) {
    CAPTURE(at);
    Place place;
    auto store = place.with_session();
    put_broken_log(store);
    place.on_thread([](SessionStore&) { return true; });  // it is open
    disk.fail_at(at, SQLITE_FULL, FaultyDisk::Lasts::until_mended);
    (void)place.open();
    place.thread.reset();  // and ended before the disk takes anything
    struck = disk.struck();
    disk.mend();
    const std::string found = log_of(store);
    CHECK((found == broken || found == mended));
    if (found == broken) ++stayed;
    if (!struck) CHECK(found == mended);
  }
  CHECK(stayed > 0);
}

TEST_CASE("files that cannot be put back keep nobody from going on, and are told of") {
  Place place;
  auto store = place.with_session();
  const std::string parent = place.directory.path + "/parent";
  FileChange change{parent + "/f", agent::FileBefore::Was::kept,
                    0600,          platform::hash_content("A"),
                    true,          std::nullopt};
  done(store.checkpoints().begin_rewind("s1", {{change, "A"}}));
  std::ofstream(parent) << "a file where the directory was";
  const auto session = place.open();
  REQUIRE_MESSAGE(session.has_value(), session.error().message);
  CHECK(session->fault.find(parent + "/f") != std::string::npos);
}

TEST_CASE("what cannot be read is there all the same: not found it is not") {
  Place place;
  auto store = place.with_session();
  auto spoiled = value_of(store.row("s1"));
  spoiled.state = "{}";
  done(store.update(spoiled));
  CHECK(code_of(place.open()) == Code::io);
}
