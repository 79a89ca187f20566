// Hooks as real processes: what they are given, how they end, and that none is left behind.
#include "hooks/runner.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "platform/fd.h"
#include "platform/io.h"
#include "unit/platform/scratch.h"
#include "wire/parse.h"

using namespace agentd;
using namespace agentd::hooks;
using namespace std::chrono_literals;
using platform::test::get;

namespace {

// A directory and an io thread; no child and no descriptor are left at the end.
class Rig {
 public:
  Rig() : descriptors_(platform::test::open_descriptors()) {
    io_ = std::make_unique<platform::Io>();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig() {
    io_.reset();
    CHECK(platform::test::no_children());
    CHECK(platform::test::open_descriptors() == descriptors_);
  }

  std::string operator/(const std::string& name) const { return scratch_ / name; }

  void add(const std::string& command, std::chrono::milliseconds timeout = 60s) {
    Hook hook;
    hook.event = Event::pre_tool_use;
    hook.command = command;
    hook.timeout = timeout;
    hook.origin = "/settings.json";
    set_.hooks.push_back(std::move(hook));
  }
  // As settings have it: what was told of the last hook is not told again.
  void remember_what_was_told() {
    set_.hooks.back().ignored_told = std::make_shared<std::atomic<bool>>(false);
  }
  void add_program(const std::string& program, std::vector<std::string> args) {
    add(program);
    set_.hooks.back().args = std::move(args);
  }

  HookInput input() const {
    HookInput made;
    made.session_id = "session";
    made.cwd = scratch_.path();
    made.project_directory = "/the/project";
    made.event = PreToolUseInput{"Bash", {{"command", "ls"}}, "toolu_1"};
    return made;
  }
  HookOutcomes run(std::stop_token stop = {}) { return run(input(), std::move(stop)); }
  HookOutcomes run(const HookInput& given, std::stop_token stop = {}) {
    return hooks::run(set_, given, io_->commands(), std::move(stop));
  }
  // With this as the only hook.
  HookOutcomes run(const std::string& command, std::chrono::milliseconds timeout = 60s) {
    set_.hooks.clear();
    add(command, timeout);
    HookOutcomes outcomes = run();
    REQUIRE(outcomes.records.size() == 1);
    return outcomes;
  }

 private:
  platform::test::Scratch scratch_;
  std::size_t descriptors_;
  std::unique_ptr<platform::Io> io_;
  HookSet set_;
};

bool decides_nothing(const MergedVerdict& verdict) {
  return !verdict.stop && !verdict.block && !verdict.permission && !verdict.updated_input &&
         verdict.contexts.empty();
}

std::string padded(std::size_t bytes) {
  return std::string(bytes, 'x');
}

}  // namespace

TEST_CASE("no hook, no work") {
  Rig rig;
  const HookOutcomes outcomes = rig.run();
  CHECK(outcomes.records.empty());
  CHECK(decides_nothing(outcomes.merged));
  CHECK_FALSE(outcomes.cancelled);
}

TEST_CASE("a hook gets the event, the directory and the variables") {
  Rig rig;
  const auto outcomes = rig.run(
      R"(cat >in; pwd >where; echo "$CLAUDE_PROJECT_DIR|$AGENTD_PROJECT_DIR" >vars; echo done)");
  CHECK(get(rig / "in") == stdin_text(rig.input()));
  CHECK(get(rig / "where") == (rig / "").substr(0, (rig / "").size() - 1) + "\n");
  CHECK(get(rig / "vars") == "/the/project|/the/project\n");
  const HookRecord& record = outcomes.records[0];
  CHECK(record.outcome == HookOutcome::success);
  CHECK(record.exit_code == 0);
  CHECK(record.message == "done");
  CHECK(record.event == Event::pre_tool_use);
  CHECK(record.origin == "/settings.json");
  CHECK(record.command.starts_with("cat >in"));
}

TEST_CASE("a hook with args is started without a shell") {
  Rig rig;
  rig.add_program("printf", {"%s", "$HOME;a b"});
  const HookOutcomes outcomes = rig.run();
  REQUIRE(outcomes.records.size() == 1);
  CHECK(outcomes.records[0].message == "$HOME;a b");
}

TEST_CASE("exit 2 blocks, JSON decides") {
  Rig rig;
  HookOutcomes outcomes = rig.run("cat >/dev/null; echo no >&2; exit 2");
  CHECK(outcomes.merged.permission == PermissionDecision::deny);
  CHECK(outcomes.merged.reason == "no");
  CHECK(outcomes.records[0].outcome == HookOutcome::blocked);
  CHECK(outcomes.records[0].exit_code == 2);
  CHECK(outcomes.records[0].message == "no");

  outcomes = rig.run(
      R"(echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
         "permissionDecisionReason": "why", "additionalContext": "c"}}')");
  CHECK(outcomes.merged.permission == PermissionDecision::ask);
  CHECK(outcomes.merged.reason == "why");
  CHECK(outcomes.merged.contexts == std::vector<std::string>{"c"});
  CHECK(outcomes.records[0].outcome == HookOutcome::success);
}

TEST_CASE("broken hooks are told and decide nothing") {
  struct Row {
    std::string command;
    std::string message;
    std::optional<int> exit_code;
  };
  const std::vector<Row> rows = {
      {"exit 7", "The hook failed with exit code 7", 7},
      {"no-such-program-anywhere", "The hook was not found (exit code 127): ", 127},
      {"./no-such-script.sh", "The hook was not found (exit code 127): ", 127},
      {"kill -9 $$", "The hook was killed by signal 9 (SIGKILL)", {}},
      {"kill -SEGV $$", "The hook was killed by signal 11 (SIGSEGV)", {}},
      {"echo '{\"decision\": \"block\"'", "The hook gave malformed JSON: ", 0},
      {"echo '{\"decision\": \"refuse\"}'", "The hook gave JSON of the wrong shape: decision", 0},
  };
  Rig rig;
  for (const Row& row : rows) {
    CAPTURE(row.command);
    const HookOutcomes outcomes = rig.run(row.command);
    CHECK(outcomes.records[0].outcome == HookOutcome::broken);
    CHECK_MESSAGE(outcomes.records[0].message.starts_with(row.message),
                  outcomes.records[0].message);
    CHECK(outcomes.records[0].exit_code == row.exit_code);
    CHECK(decides_nothing(outcomes.merged));
    CHECK_FALSE(outcomes.cancelled);
  }
}

TEST_CASE("a program or directory that is not there: it could not be started") {
  Rig rig;
  rig.add_program("no-such-program-anywhere", {});
  HookOutcomes outcomes = rig.run();
  CHECK(outcomes.records[0].outcome == HookOutcome::broken);
  CHECK(outcomes.records[0].message.starts_with("The hook could not be started: "));

  HookInput elsewhere = rig.input();
  elsewhere.cwd = rig / "gone";
  outcomes = rig.run(elsewhere);
  CHECK(outcomes.records[0].message.starts_with("The hook could not be started: "));
  CHECK(decides_nothing(outcomes.merged));
}

TEST_CASE("a hook that hangs is killed with all it started, and what it said does not count") {
  Rig rig;
  const HookOutcomes outcomes =
      rig.run("echo '{\"decision\": \"block\"}'; trap '' TERM; sleep 1000 & sleep 1000", 50ms);
  CHECK(outcomes.records[0].outcome == HookOutcome::broken);
  CHECK(outcomes.records[0].message.starts_with("The hook timed out after "));
  CHECK_FALSE(outcomes.records[0].exit_code);
  CHECK(decides_nothing(outcomes.merged));
}

TEST_CASE("a flood ends, a megabyte of text is bounded, a megabyte of JSON is refused") {
  Rig rig;
  HookOutcomes outcomes = rig.run("yes");
  CHECK(outcomes.records[0].outcome == HookOutcome::broken);
  CHECK(outcomes.records[0].message == "The hook wrote without end and was killed");

  outcomes = rig.run("head -c 2000000 /dev/zero | tr '\\0' x");
  CHECK(outcomes.records[0].outcome == HookOutcome::success);
  CHECK(outcomes.records[0].message.size() < kMaxModelCharacters + 100);

  outcomes = rig.run(
      "printf '{\"decision\": \"block\", \"reason\": \"'; head -c 2000000 /dev/zero | tr '\\0' x; "
      "printf '\"}'");
  CHECK(outcomes.records[0].outcome == HookOutcome::broken);
  CHECK(outcomes.records[0].message == "The hook wrote more JSON than a hook may");
  CHECK(decides_nothing(outcomes.merged));
}

TEST_CASE("a guard that exits with 2 blocks, whatever and however much it printed") {
  Rig rig;
  for (const char* output :
       {"echo '{\"decision\": \"approve\"}'", "echo '{\"decision\": '", "printf '{\\377\\376}'",
        "head -c 5000000 /dev/zero | tr '\\0' x", "head -c 5000000 /dev/urandom"}) {
    CAPTURE(output);
    const HookOutcomes outcomes = rig.run(std::string(output) + "; echo no >&2; exit 2");
    CHECK(outcomes.records[0].outcome == HookOutcome::blocked);
    CHECK(outcomes.merged.permission == PermissionDecision::deny);
    CHECK(outcomes.merged.reason == "no");
  }
}

TEST_CASE("what of an answer is ignored is told once for a hook") {
  Rig rig;
  const std::string answer =
      "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedX\": 1}}'";
  rig.add(answer);
  rig.remember_what_was_told();
  HookOutcomes outcomes = rig.run();
  REQUIRE(outcomes.merged.notices.size() == 1);
  CHECK(outcomes.merged.notices[0] ==
        "/settings.json: a hook of PreToolUse says what agentd ignores: "
        "hookSpecificOutput.updatedX");
  CHECK(rig.run().merged.notices.empty());
}

TEST_CASE("a large input: read to its end, not read at all, or refused at once") {
  Rig rig;
  HookInput large = rig.input();
  large.event = PreToolUseInput{"Write", {{"content", padded(1'000'000)}}, "toolu_1"};
  rig.add("cat >in; echo read");
  rig.add("true; exit 0");
  rig.add("exec <&-; echo no >&2; exit 2");
  const HookOutcomes outcomes = rig.run(large);
  REQUIRE(outcomes.records.size() == 3);
  CHECK(get(rig / "in") == stdin_text(large));
  CHECK(outcomes.records[0].message == "read");
  CHECK(outcomes.records[1].outcome == HookOutcome::success);
  CHECK(outcomes.records[2].outcome == HookOutcome::blocked);
  CHECK(outcomes.merged.reason == "no");
}

TEST_CASE("hooks run at the same time: each waits for the other") {
  Rig rig;
  REQUIRE(::mkfifo((rig / "there").c_str(), 0600) == 0);
  REQUIRE(::mkfifo((rig / "back").c_str(), 0600) == 0);
  rig.add("echo 1 >there; read -r x <back; echo first $x");
  rig.add("read -r x <there; echo 2 >back; echo second $x");
  const HookOutcomes outcomes = rig.run();
  REQUIRE(outcomes.records.size() == 2);
  CHECK(outcomes.records[0].message == "first 2");
  CHECK(outcomes.records[1].message == "second 1");
}

TEST_CASE("the order of the verdicts is that of the hooks, not that of their ends") {
  Rig rig;
  REQUIRE(::mkfifo((rig / "go").c_str(), 0600) == 0);
  const auto changing = [](const std::string& to) {
    return R"(echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput":
              {"command": ")" +
           to + R"("}, "additionalContext": ")" + to + R"("}}')";
  };
  rig.add("read -r x <go; " + changing("slow"));
  rig.add(changing("fast") + "; exec >&-; echo 1 >go");
  const HookOutcomes outcomes = rig.run();
  CHECK(outcomes.merged.updated_input == Json{{"command", "fast"}});
  CHECK(outcomes.merged.contexts == std::vector<std::string>{"slow", "fast"});
  CHECK(outcomes.merged.notices.size() == 1);
}

TEST_CASE("more hooks than run at once all run") {
  Rig rig;
  for (int i = 0; i < 40; ++i) rig.add("echo " + std::to_string(i));
  const HookOutcomes outcomes = rig.run();
  REQUIRE(outcomes.records.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) CHECK(outcomes.records[i].message == std::to_string(i));
}

TEST_CASE("one broken hook costs the others nothing") {
  Rig rig;
  rig.add("kill -9 $$");
  rig.add("echo no >&2; exit 2");
  rig.add("sleep 1000", 50ms);
  const HookOutcomes outcomes = rig.run();
  CHECK(outcomes.merged.permission == PermissionDecision::deny);
  CHECK(outcomes.merged.reason == "no");
}

TEST_CASE("stop kills what runs, and its last words do not count") {
  Rig rig;
  REQUIRE(::mkfifo((rig / "begun").c_str(), 0600) == 0);
  rig.add("trap 'exit 2' TERM; echo 1 >begun; sleep 1000 & wait");
  std::stop_source source;
  std::jthread canceller([&] {
    std::string line(1, '\0');
    const platform::Fd begun(::open((rig / "begun").c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(::read(begun.get(), line.data(), 1) == 1);
    source.request_stop();
  });
  const HookOutcomes outcomes = rig.run(source.get_token());
  CHECK(outcomes.cancelled);
  REQUIRE(outcomes.records.size() == 1);
  CHECK(outcomes.records[0].outcome == HookOutcome::cancelled);
  CHECK(outcomes.records[0].message == "The hook was cancelled");
  CHECK_FALSE(outcomes.records[0].exit_code);
  CHECK(decides_nothing(outcomes.merged));
}

TEST_CASE("after a stop nothing is started") {
  Rig rig;
  rig.add("touch ran");
  std::stop_source source;
  source.request_stop();
  const HookOutcomes outcomes = rig.run(source.get_token());
  CHECK(outcomes.cancelled);
  CHECK(outcomes.records[0].outcome == HookOutcome::cancelled);
  CHECK(get(rig / "ran").empty());
  CHECK_FALSE(std::filesystem::exists(rig / "ran"));
}

TEST_CASE("what a hook leaves in the background is not waited for") {
  Rig rig;
  const HookOutcomes outcomes = rig.run("sleep 1000 & echo left");
  CHECK(outcomes.records[0].message == "left");
  CHECK(outcomes.records[0].outcome == HookOutcome::success);
}
