// A disk that is full or broken at every single write of a session: whoever asks is told, what was
// said waits for the disk and is written once it takes it, and a process that ends meanwhile leaves
// a file that holds the session up to some moment, whole.
#include <doctest/doctest.h>

#include <future>
#include <memory>

#include "faulty_disk.h"
#include "platform/files.h"
#include "session/journal.h"
#include "session/opening.h"
#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

namespace {

using Lasts = FaultyDisk::Lasts;

class StillClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(); }
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::time_point(std::chrono::seconds(1));
  }
  std::unique_ptr<Timer> after(Duration, std::function<void()>) override { return nullptr; }
};

// Does `job` with the store on its thread.
template <class Job>
auto on_store(StoreThread& thread, Job job) {
  using Answer = decltype(job(std::declval<SessionStore&>()));
  std::promise<Answer> answer;
  thread.post([&](const Result<SessionStore*>& store) {
    REQUIRE_MESSAGE(store.has_value(), store.error().message);
    answer.set_value(job(**store));
  });
  return answer.get_future().get();
}

Message said(Role role, const std::string& text) {
  return {role, {TextBlock{text}}};
}

// All that a run of two turns with calls and a compaction keeps, step by step.
class Scenario {
 public:
  explicit Scenario(const Directory& directory, Durability durability)
      : thread_(std::make_shared<StoreThread>(directory.file(), durability)) {
    on_store(*thread_, [](SessionStore&) { return true; });
    conversation_.cwd = conversation_.workspace = "/work";
    journal_ = std::make_shared<SessionJournal>(
        thread_, clock_, "w",
        SessionRow{"s", std::nullopt, "/work", "Title", 1, 1, state_json(conversation_, {})},
        Stored{});
  }

  // The errors that sync() told.
  int play() {
    int errors = 0;
    const auto sync = [&] { errors += synced() ? 0 : 1; };
    part("agent/runStarted", R"("model":"m")");
    for (const char* id : {"t1", "t2"}) {
      conversation_.history.append(said(Role::user, std::string("do ") + id));
      keep();
      sync();
      const ToolUseBlock call{id, "Bash", {{"command", std::string(6'000, 'x')}}};
      part("agent/toolUse", R"("toolUseId":")" + call.id + R"(","name":"Bash","state":"ready")");
      journal_->keep_block(0, call);
      journal_->keep_start(call.id);
      sync();
      const ToolResultBlock result{id, {TextBlock{std::string(5'000, 'y')}}, false};
      journal_->keep_result(result);
      part("agent/toolResult", R"("toolUseId":")" + call.id + '"');
      conversation_.history.append({Role::assistant, {call}});
      conversation_.history.append({Role::user, {result}});
      keep();
      journal_->drop_reply();
      journal_->keep_state(conversation_);
      sync();
    }
    conversation_.history.append(said(Role::assistant, "Done."));
    REQUIRE(conversation_.history.compact({TextBlock{"In short."}}, 5));
    part("agent/runEnded", R"("ending":"completed")");
    keep();
    sync();
    return errors;
  }

  bool synced() {
    std::promise<bool> answer;
    journal_->sync([&](const Result<void>& kept) { answer.set_value(kept.has_value()); });
    return answer.get_future().get();
  }
  const std::string& told_log() const { return log_; }
  const std::string& told_parts() const { return parts_; }
  std::size_t changes() const { return conversation_.history.changes_size(); }

 private:
  void keep() {
    log_ += text(conversation_.history.log());
    journal_->keep(conversation_);
  }
  void part(const std::string& method, const std::string& fields) {
    journal_->keep_part("r", method, fields);
    parts_ += method + '{' + fields + "}\n";
  }

  StillClock clock_;
  std::shared_ptr<StoreThread> thread_;
  agent::Conversation conversation_;
  std::shared_ptr<SessionJournal> journal_;
  std::string log_;
  std::string parts_;
};

// What another process finds in the file.
struct Found {
  explicit Found(const Directory& directory) {
    auto database = value_of(Database::open(directory.file(), Durability::normal));
    const auto each = [&](const char* sql, const auto& take) {
      auto rows = value_of(database.prepare(sql));
      while (value_of(rows.step())) take(rows);
    };
    each("SELECT 1 FROM session", [&](const Statement&) { there = true; });
    each("SELECT json FROM message ORDER BY number",
         [&](const Statement& row) { log += std::string(row.text(0)) + "\n"; });
    each("SELECT method, params FROM part ORDER BY number", [&](const Statement& row) {
      parts += std::string(row.text(0)) + std::string(row.text(1)) + "\n";
    });
    each("SELECT 1 FROM change", [&](const Statement&) { ++changes; });
    each("SELECT 1 FROM draft", [&](const Statement&) { ++draft; });
  }
  bool there = false;
  std::string log;
  std::string parts;
  std::size_t changes = 0;
  std::size_t draft = 0;
};

struct Fault {
  int code;
  Lasts lasts;
  Durability durability;
};

constexpr Fault kFaults[] = {
    {SQLITE_FULL, Lasts::once, Durability::normal},
    {SQLITE_FULL, Lasts::until_mended, Durability::normal},
    {SQLITE_IOERR_WRITE, Lasts::once, Durability::full},
    {SQLITE_IOERR_WRITE, Lasts::until_mended, Durability::full},
};

}  // namespace

TEST_CASE("a fault at each write is told of, and once it is over nothing is missing") {
  FaultyDisk disk;
  for (const Fault& fault : kFaults) {
    bool struck = true;
    int at = 1;
    for (; struck; ++at) {
      CAPTURE(at);
      CAPTURE(fault.code);
      Directory directory;
      {
        Scenario scenario(directory, fault.durability);
        disk.fail_at(at, fault.code, fault.lasts);
        const int errors = scenario.play();
        struck = disk.struck();
        // One that is over when somebody asks is nobody's concern: all is written by then.
        if (fault.lasts == Lasts::once) {
          CHECK(errors <= (struck ? 1 : 0));
        } else {
          CHECK((errors > 0) == struck);
        }
        disk.mend();
        REQUIRE(scenario.synced());
        const Found found(directory);
        CHECK(found.log == scenario.told_log());
        CHECK(found.parts == scenario.told_parts());
        CHECK(found.changes == scenario.changes());
        CHECK(found.draft == 0);
      }
    }
    CHECK(at > 20);  // faults there were
  }
}

TEST_CASE("a process that ends while the disk takes nothing leaves a session that is whole") {
  FaultyDisk disk;
  const auto files = platform::make_disk_files();
  StillClock clock;
  for (const Fault& fault : kFaults) {
    if (fault.lasts == Lasts::once) continue;
    bool struck = true;
    for (int at = 1; struck; ++at) {
      CAPTURE(at);
      CAPTURE(fault.code);
      Directory directory;
      std::string log;
      std::string parts;
      {
        Scenario scenario(directory, fault.durability);
        disk.fail_at(at, fault.code, fault.lasts);
        (void)scenario.play();
        struck = disk.struck();
        log = scenario.told_log();
        parts = scenario.told_parts();
      }
      disk.mend();
      const Found found(directory);
      if (!found.there) continue;
      CHECK(log.starts_with(found.log));
      CHECK(parts.starts_with(found.parts));
      if (found.draft > 0) CHECK(found.log.size() < log.size());
      // And it can be gone on with.
      const auto thread = std::make_shared<StoreThread>(directory.file(), Durability::normal);
      const std::string went_on = on_store(*thread, [&](SessionStore& store) {
        auto session = open_session(store, *files, thread, clock, "w2", "s");
        return session ? std::string() : session.error().message;
      });
      CHECK(went_on == "");
    }
  }
}

TEST_CASE("a store that cannot be opened for a fault can be opened when it is over") {
  FaultyDisk disk;
  for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
    bool struck = true;
    for (int at = 1; struck; ++at) {
      CAPTURE(at);
      Directory directory;
      disk.fail_at(at, code, Lasts::until_mended);
      const bool opens = SessionStore::open(directory.file(), Durability::normal).has_value();
      struck = disk.struck();
      if (!struck) CHECK(opens);
      disk.mend();
      auto store = opened(directory);
      done(store.add(row("s")));
      CHECK(value_of(store.row("s")).title == "Title of s");
    }
  }
}
