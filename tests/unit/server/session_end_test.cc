// The end of sessions: how long its hooks may take, and that it is over, once, even where something
// fails inside agentd.
#include "server/session_end.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <stdexcept>

#include "base/mailbox.h"
#include "platform/io.h"
#include "support/fake_clock.h"
#include "unit/platform/scratch.h"

using namespace agentd;
using namespace agentd::server;
using namespace std::chrono_literals;
using platform::test::get;

namespace {

class ThrowingCommands final : public platform::Commands {
 public:
  Result<platform::CommandEnd> run(platform::CommandSpec, std::stop_token) override {
    throw std::runtime_error("no memory");
  }
  void end_session(const std::string&) override {
    ++ended;
    throw 7;
  }
  std::atomic<int> ended{0};
};

agent::HookContext context(const std::string& session_id, const std::string& command = "true") {
  hooks::Hook hook;
  hook.event = hooks::Event::session_end;
  hook.command = command;
  hook.origin = "/settings.json";
  auto set = std::make_shared<hooks::HookSet>();
  set->hooks.push_back(std::move(hook));
  agent::HookContext made;
  made.set = std::move(set);
  made.session_id = session_id;
  return made;
}

// A hook, a real process, that ends only when it is killed, and notes that it was.
class HangingHook {
  platform::test::Scratch scratch_;
  platform::Io io_;

 public:
  HangingHook() {
    REQUIRE(mkfifo((scratch_ / "begun").c_str(), 0600) == 0);
    REQUIRE(mkfifo((scratch_ / "held").c_str(), 0600) == 0);
    agent::HookContext hanging = context("s",
                                         "trap 'echo TERM >killed; exit 3' TERM; echo begun >begun;"
                                         " cat held & wait");
    hanging.cwd = scratch_.path();
    SessionEnd::Told told;
    told.hook = [this](const std::string&, const hooks::HookRecord& record) {
      outcomes.push(hooks::HookOutcome(record.outcome));
    };
    told.done = [this] { done.push(true); };
    end = std::make_unique<SessionEnd>(std::vector{hanging}, clock, io_.commands(), told);
    CHECK(get(scratch_ / "begun") == "begun\n");
  }

  std::string killed_by() const { return get(scratch_ / "killed"); }

  test::FakeClock clock;
  Mailbox<hooks::HookOutcome> outcomes;
  Mailbox<bool> done;
  std::unique_ptr<SessionEnd> end;
};

}  // namespace

TEST_CASE("a hook that hangs is killed when 3 s are over, not before") {
  HangingHook hook;
  hook.clock.advance(kSessionEndHooks - 1ms);
  CHECK_FALSE(hook.done.try_pop());
  CHECK(hook.killed_by().empty());
  hook.clock.advance(1ms);
  CHECK(hook.done.pop());
  CHECK(hook.outcomes.try_pop() == hooks::HookOutcome::cancelled);
  CHECK(hook.killed_by() == "TERM\n");
}

TEST_CASE("in a hurry no hook is waited for") {
  HangingHook hook;
  hook.end->hurry();
  CHECK(hook.done.pop());
  CHECK(hook.outcomes.try_pop() == hooks::HookOutcome::cancelled);
  CHECK(hook.killed_by() == "TERM\n");
}

TEST_CASE("whoever stops waiting kills the hooks that still run") {
  HangingHook hook;
  hook.end.reset();
  CHECK(hook.done.try_pop());
  CHECK(hook.killed_by() == "TERM\n");
}

TEST_CASE("a session whose end fails holds up neither the others nor the process") {
  platform::Io io;
  ThrowingCommands commands;
  std::atomic<int> hooks_told{0};
  Mailbox<bool> done;
  SessionEnd::Told told;
  told.hook = [&](const std::string&, const hooks::HookRecord& record) {
    CHECK(record.outcome == hooks::HookOutcome::broken);
    ++hooks_told;
    throw std::runtime_error("nobody to tell");
  };
  told.done = [&] { done.push(true); };
  {
    SessionEnd end({context("a"), context("b")}, io.clock(), commands, std::move(told));
    CHECK(done.pop());
  }
  CHECK(commands.ended == 1);
  CHECK(hooks_told == 2);
  CHECK_FALSE(done.try_pop());
}
