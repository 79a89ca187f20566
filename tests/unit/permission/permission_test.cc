#include "permission/permission.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using agentd::Access;
using namespace agentd::permission;

namespace {

const std::string kWorkspace = "/ws";

Access reading(std::string path) {
  return {.reads = {std::move(path)}, .writes = {}, .command = {}};
}
Access writing(std::string path) {
  return {.reads = {}, .writes = {std::move(path)}, .command = {}};
}
Access running(std::string text) {
  return {.reads = {}, .writes = {}, .command = std::move(text)};
}
Access leaving_plan_mode() {
  Access access;
  access.leaves_plan_mode = true;
  return access;
}

Decision decided(Mode mode, const Access& access, const Grants& grants = {}) {
  return judge(mode, access, kWorkspace, grants).decision;
}

}  // namespace

TEST_CASE("every mode against every kind of access") {
  struct Row {
    Access access;
    Decision ask, accept_edits, plan, bypass;
  };
  constexpr Decision kAllow = Decision::allow;
  constexpr Decision kAsk = Decision::ask;
  constexpr Decision kDeny = Decision::deny;
  const std::vector<Row> rows = {
      {Access{}, kAllow, kAllow, kAllow, kAllow},
      {leaving_plan_mode(), kAllow, kAllow, kAsk, kAllow},
      {reading("/ws/a.txt"), kAllow, kAllow, kAllow, kAllow},
      {reading("/ws"), kAllow, kAllow, kAllow, kAllow},
      {reading("/ws/.git/config"), kAllow, kAllow, kAllow, kAllow},
      {reading("/etc/passwd"), kAsk, kAsk, kAsk, kAllow},
      {reading("/ws-evil/a.txt"), kAsk, kAsk, kAsk, kAllow},
      {reading("/"), kAsk, kAsk, kAsk, kAllow},
      {writing("/ws/a.txt"), kAsk, kAllow, kDeny, kAllow},
      {writing("/ws/sub/new/a.txt"), kAsk, kAllow, kDeny, kAllow},
      {writing("/ws-evil/a.txt"), kAsk, kAsk, kDeny, kAllow},
      {writing("/tmp/a.txt"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.git/hooks/pre-commit"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/sub/.vscode/tasks.json"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.bashrc"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.agentd/settings.json"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.config/git/config"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.config/other"), kAsk, kAllow, kDeny, kAllow},
      {writing("/ws/.claude/settings.json"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.claude/worktrees/one/a.txt"), kAsk, kAllow, kDeny, kAllow},
      {writing("/ws/.claude/worktrees/one/.git/config"), kAsk, kAsk, kDeny, kAllow},
      {writing("/ws/.gitignore"), kAsk, kAllow, kDeny, kAllow},
      {writing("/ws/my.git/a.txt"), kAsk, kAllow, kDeny, kAllow},
      {running("ls"), kAsk, kAsk, kDeny, kAllow},
  };
  for (const Row& row : rows) {
    CAPTURE(row.access.reads);
    CAPTURE(row.access.writes);
    CHECK(decided(Mode::ask, row.access) == row.ask);
    CHECK(decided(Mode::accept_edits, row.access) == row.accept_edits);
    CHECK(decided(Mode::plan, row.access) == row.plan);
    CHECK(decided(Mode::bypass, row.access) == row.bypass);
  }
}

TEST_CASE("an ask says whether the place is its cause") {
  struct Row {
    Mode mode;
    Access access;
    AskCause cause;
  };
  const std::vector<Row> rows = {
      {Mode::ask, running("ls"), AskCause::mode},
      {Mode::accept_edits, running("ls"), AskCause::mode},
      {Mode::ask, writing("/ws/a.txt"), AskCause::mode},
      {Mode::ask, writing("/ws/.git/hooks/pre-commit"), AskCause::place},
      {Mode::ask, writing("/tmp/a.txt"), AskCause::place},
      {Mode::ask, reading("/etc/passwd"), AskCause::place},
      {Mode::plan, reading("/etc/passwd"), AskCause::place},
      {Mode::accept_edits, writing("/ws/.bashrc"), AskCause::place},
      {Mode::ask, {.reads = {"/etc/passwd"}, .writes = {"/ws/a"}, .command = {}}, AskCause::place},
      {Mode::ask,
       {.reads = {"/ws/b"}, .writes = {"/ws/a", "/ws/c"}, .command = {}},
       AskCause::mode},
      {Mode::ask, {.reads = {}, .writes = {"/ws/a", "/ws/.git/x"}, .command = {}}, AskCause::place},
      {Mode::ask, {.reads = {"/etc/passwd"}, .writes = {}, .command = "x"}, AskCause::place},
  };
  for (const Row& row : rows) {
    const Verdict verdict = judge(row.mode, row.access, kWorkspace, {});
    CAPTURE(verdict.reason);
    REQUIRE(verdict.decision == Decision::ask);
    CHECK(verdict.cause == row.cause);
  }
}

TEST_CASE("reasons name what and why") {
  const Grants none;
  CHECK(judge(Mode::ask, reading("/etc/passwd"), kWorkspace, none).reason ==
        "This would read /etc/passwd, outside the workspace /ws.");
  CHECK(judge(Mode::ask, writing("/ws/a"), kWorkspace, none).reason == "This would write /ws/a.");
  CHECK(judge(Mode::ask, writing("/b"), kWorkspace, none).reason ==
        "This would write /b, which is outside the workspace /ws.");
  CHECK(judge(Mode::accept_edits, writing("/ws/.git/config"), kWorkspace, none)
            .reason.find("protected path") != std::string::npos);
  CHECK(judge(Mode::plan, running("ls"), kWorkspace, none).reason.find("Plan mode") == 0);
  CHECK(judge(Mode::plan, writing("/ws/a"), kWorkspace, none).reason.find("/ws/a") !=
        std::string::npos);
  CHECK(judge(Mode::ask, running("ls"), kWorkspace, none).reason.find("command") !=
        std::string::npos);

  Access many;
  many.writes = {"/1", "/2", "/3", "/4", "/5"};
  CHECK(judge(Mode::ask, many, kWorkspace, none).reason ==
        "This would write /1, /2, /3 and 2 more.");
}

TEST_CASE("a session grant covers the same command text or the same file, nothing wider") {
  Grants grants;
  grants.add(running("npm test"));
  grants.add(writing("/ws/a.txt"));
  grants.add(reading("/etc/hosts"));

  CHECK(decided(Mode::ask, running("npm test"), grants) == Decision::allow);
  CHECK(decided(Mode::ask, running("npm test && rm -rf /"), grants) == Decision::ask);
  CHECK(decided(Mode::ask, running("npm"), grants) == Decision::ask);
  CHECK(decided(Mode::ask, writing("/ws/a.txt"), grants) == Decision::allow);
  CHECK(decided(Mode::ask, writing("/ws/a.txt.bak"), grants) == Decision::ask);
  CHECK(decided(Mode::ask, writing("/ws"), grants) == Decision::ask);
  CHECK(decided(Mode::ask, writing("/etc/hosts"), grants) == Decision::ask);  // granted to read
  CHECK(decided(Mode::ask, reading("/etc/hosts"), grants) == Decision::allow);
  CHECK(decided(Mode::ask, reading("/etc"), grants) == Decision::ask);

  Access both = writing("/ws/a.txt");
  both.writes.push_back("/ws/b.txt");
  CHECK(decided(Mode::ask, both, grants) == Decision::ask);

  Access with_free_read = writing("/ws/a.txt");
  with_free_read.reads.push_back("/ws/c.txt");  // free, needs no grant
  CHECK(decided(Mode::ask, with_free_read, grants) == Decision::allow);
}

TEST_CASE("a granted directory does not open what is below it") {
  Grants grants;
  grants.add(reading("/other"));
  CHECK(decided(Mode::ask, reading("/other"), grants) == Decision::allow);
  CHECK(decided(Mode::ask, reading("/other/key"), grants) == Decision::ask);
}

TEST_CASE("plan mode is not softened by grants") {
  Grants grants;
  grants.add(running("make"));
  grants.add(writing("/ws/a.txt"));
  CHECK(decided(Mode::plan, running("make"), grants) == Decision::deny);
  CHECK(decided(Mode::plan, writing("/ws/a.txt"), grants) == Decision::deny);
}

TEST_CASE("mode names go both ways") {
  for (const Mode mode : {Mode::ask, Mode::accept_edits, Mode::plan, Mode::bypass}) {
    CHECK(parse_mode(to_string(mode)) == mode);
  }
  CHECK_FALSE(parse_mode("Ask"));
  CHECK_FALSE(parse_mode(""));
  CHECK_FALSE(parse_mode("acceptedits"));
}
