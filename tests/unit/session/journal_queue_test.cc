// The queue to the disk when the disk does not take it: bounds, pauses between tries, and a session
// that another process has gone on with.
#include "session/journal_queue.h"

#include <doctest/doctest.h>

#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

namespace {

using Try = JournalQueue::Try;

const Result<SessionStore*> kNoStore = make_error(Code::unavailable, "no disk");

struct Rig {
  explicit Rig(QueueLimits limits = {})
      : queue("s1", "w1", directory.path, std::nullopt, limits), store(opened(directory)) {
    queue.add(RowChanged{row("s1"), true});
  }
  void say(std::size_t number, std::size_t size = 10) {
    queue.add(MessagesSaid{number, {message(Role::user, {TextBlock{std::string(size, 'x')}})}});
  }
  void tell(std::int64_t number, const std::string& method, std::size_t size = 10) {
    queue.add(Part{number, "r1", method, std::string(size, 'x'), 0});
  }
  Result<void> write(Try when = Try::now) { return queue.write(&store, when); }
  std::size_t messages() { return value_of(store.load("s1")).history.log.size(); }
  std::string parts() {
    std::string numbers;
    for (const Part& part : value_of(store.parts("s1", 0, 1000))) {
      numbers += std::to_string(part.number) + ' ';
    }
    return numbers;
  }

  Directory directory;
  JournalQueue queue;
  SessionStore store;
};

}  // namespace

TEST_CASE("above the bound parts go, until all is written and a run begins") {
  for (const QueueLimits limits : {QueueLimits{6, 1'000'000}, QueueLimits{1'000, 3'000}}) {
    Rig rig(limits);
    rig.tell(1, "agent/runStarted", 500);
    rig.tell(2, "agent/textDelta", 500);
    CHECK(code_of(rig.queue.write(kNoStore, Try::now)) == Code::unavailable);
    for (std::size_t i = 0; i < 4; ++i) rig.say(i, 500);
    rig.tell(3, "agent/textDelta", 500);  // that is too much: it goes, and those that wait do
    rig.say(4);
    REQUIRE(rig.write().has_value());
    CHECK(rig.messages() == 5);
    CHECK(rig.parts() == "");
    rig.tell(4, "agent/runEnded");
    rig.tell(5, "agent/runStarted");
    rig.tell(6, "agent/runEnded");
    REQUIRE(rig.write().has_value());
    CHECK(rig.parts() == "5 6 ");
  }
}

TEST_CASE("above twice the bound the session is given up, also while the disk holds the thread") {
  for (const QueueLimits limits : {QueueLimits{6, 1'000'000}, QueueLimits{1'000, 3'000}}) {
    Rig rig(limits);
    REQUIRE(rig.write().has_value());
    for (std::size_t i = 0; i < 20; ++i) rig.say(i, 500);  // nobody takes them meanwhile
    Result<void> told;
    rig.queue.ask([&](const Result<void>& kept) { told = kept; });
    CHECK(!rig.write().has_value());
    CHECK(!told.has_value());
    rig.say(20);
    CHECK(!rig.write().has_value());
    CHECK(rig.messages() == 0);  // nothing from behind a gap
  }
}

TEST_CASE("what an entry weighs is what is in it") {
  const std::string text(1'000, 'x');
  const Block blocks[] = {
      TextBlock{text},
      ThinkingBlock{text, std::nullopt},
      ThinkingBlock{"", text},
      RedactedThinkingBlock{text},
      ToolUseBlock{"t", "T", {{"a", {{"b", Json::array({text})}}}}},
      ImageBlock{"image/png", text},
      ToolResultBlock{"t", {TextBlock{text}}, false},
      ToolResultBlock{"t", {ImageBlock{"image/png", text}}, false},
      OpaqueBlock{"x", text},
  };
  for (const Block& block : blocks) {
    CAPTURE(block.index());
    for (const JournalEntry& entry :
         {JournalEntry(BlockWhole{0, block}),
          JournalEntry(MessagesSaid{0, {message(Role::user, {block})}})}) {
      CHECK(bytes_of(entry) >= 1'000);
      CHECK(bytes_of(entry) < 2'000);
    }
  }
}

TEST_CASE("a disk that failed is tried when somebody asks, not with each entry") {
  Rig rig;
  CHECK(!rig.queue.write(kNoStore, Try::if_due).has_value());
  rig.say(0);
  CHECK(code_of(rig.write(Try::if_due)) == Code::unavailable);  // it would take it; not yet
  CHECK(code_of(rig.store.row("s1")) == Code::not_found);
  Result<void> told = make_error(Code::io, "not told");
  rig.queue.ask([&](const Result<void>& kept) { told = kept; });
  REQUIRE(rig.write(Try::if_due).has_value());
  CHECK(told.has_value());
  CHECK(rig.messages() == 1);
  rig.say(1);
  REQUIRE(rig.write(Try::if_due).has_value());  // and then with each again
  CHECK(rig.messages() == 2);
}

TEST_CASE("what comes when the session was let go does not take it again") {
  Rig rig;
  REQUIRE(rig.write().has_value());
  rig.queue.release();
  rig.queue.add(CallBegan{"t1"});
  CHECK(!rig.write().has_value());
  CHECK(SessionLock::take(rig.directory.path, "s1", "w1").has_value());
  REQUIRE(value_of(rig.queue.lock()));  // the next run
  rig.say(0);
  REQUIRE(rig.write().has_value());
  CHECK(rig.messages() == 1);
}

TEST_CASE("what waited is not written over what another process went on with") {
  Rig rig;
  REQUIRE(rig.write().has_value());
  rig.say(0);
  CHECK(!rig.queue.write(kNoStore, Try::now).has_value());
  rig.queue.release();
  {
    REQUIRE(SessionLock::take(rig.directory.path, "s1", "w2").has_value());
  }
  CHECK(!value_of(rig.queue.lock()));
  CHECK(code_of(rig.write()) == Code::session_locked);
  CHECK(rig.messages() == 0);
  CHECK(!value_of(rig.queue.lock()));  // for good: it is to be read anew
  CHECK(SessionLock::take(rig.directory.path, "s1", "w2").has_value());  // nor is it held
}
