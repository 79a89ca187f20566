// Bash with real shells.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/utf8.h"
#include "tools/shell_cwd.h"
#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

Outcome bash(Workspace& ws, const std::string& command) {
  return ws.call("Bash", {{"command", command}});
}

std::size_t reports_left() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
    if (entry.path().filename().string().find("agentd-cwd_") == 0) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("output comes back, both streams in order") {
  Workspace ws;
  const Outcome outcome = bash(ws, "echo one; echo two >&2; echo three");
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome) == "one\ntwo\nthree\n");
  CHECK(outcome.details["exitCode"] == 0);
  CHECK(ws.progress() == "one\ntwo\nthree\n");
  CHECK_FALSE(outcome.cancels_queued);
  CHECK(text_of(bash(ws, "true")) == "(no output)");
}

TEST_CASE("a failure tells its exit code and holds back what is queued") {
  Workspace ws;
  const Outcome outcome = bash(ws, "echo bad; exit 3");
  CHECK(outcome.is_error);
  CHECK(text_of(outcome) == "Exit code 3\nbad\n");
  CHECK(outcome.details["exitCode"] == 3);
  CHECK(outcome.cancels_queued);
  CHECK(text_of(bash(ws, "false")) == "Exit code 1\n(no output)");
  CHECK(says(bash(ws, "no_such_program_here"), "Exit code 127"));
  CHECK(says(bash(ws, "kill -9 $$"), "Killed by signal 9 (SIGKILL)"));
}

TEST_CASE("exit code 1 of a search is an answer") {
  Workspace ws;
  ws.put("f", "text\n");
  const Outcome outcome = bash(ws, "grep nothing f");
  CHECK_FALSE(outcome.is_error);
  CHECK_FALSE(outcome.cancels_queued);
  CHECK(text_of(outcome) ==
        "(no output)\n(exit code 1 of grep means: no line matched; not an error)");
  CHECK(outcome.details["exitCode"] == 1);
  CHECK(bash(ws, "grep nothing no_such_file").is_error);
}

TEST_CASE("syntax errors show the command's own lines only") {
  Workspace ws;
  const Outcome outcome = bash(ws, "echo first\nif true; then");
  CHECK(outcome.is_error);
  CHECK(says(outcome, "syntax error"));
  CHECK_FALSE(says(outcome, "trap"));
  CHECK_FALSE(says(outcome, "agentd"));
}

TEST_CASE("here-documents, comments, positional parameters, tracing") {
  Workspace ws;
  CHECK(text_of(bash(ws, "cat <<EOF\na\nEOF")) == "a\n");
  CHECK(text_of(bash(ws, "echo x # trailing")) == "x\n");
  CHECK(text_of(bash(ws, "echo \"[$1][$#]\"")) == "[][0]\n");
  CHECK(text_of(bash(ws, "echo 'single' \"double $((1+1))\" \\$x")) == "single double 2 $x\n");
  CHECK_FALSE(says(bash(ws, "set -x; cd .; exit 0"), "pwd"));
  const Outcome strict = bash(ws, "set -eu; mkdir -p s; cd s; false; echo no");
  CHECK(text_of(strict) == "Exit code 1\n(no output)");
  CHECK(ws.cwd() == ws.path("s"));
}

TEST_CASE("the current directory carries over inside the workspace") {
  Workspace ws;
  std::filesystem::create_directories(ws.path("sub/deep dir"));
  CHECK(bash(ws, "cd sub").cwd == ws.path("sub"));
  CHECK(text_of(bash(ws, "pwd")) == ws.path("sub") + "\n");
  CHECK(bash(ws, "cd 'deep dir' && exit 4").cwd == ws.path("sub/deep dir"));
  CHECK_FALSE(bash(ws, "(cd /); true").cwd);
  CHECK_FALSE(bash(ws, "false").cwd);
  CHECK_FALSE(bash(ws, "cd /; cd -").cwd);
  CHECK(bash(ws, "set -u; unset PWD; builtin cd ..; exit 5").details["exitCode"] == 5);
  CHECK(ws.cwd() == ws.path("sub"));
  const Outcome out = bash(ws, "cd /");
  CHECK(out.cwd == ws.root());
  CHECK(says(out, "outside the workspace"));
  CHECK_FALSE(out.is_error);
}

TEST_CASE("a sibling whose name begins alike is outside") {
  Workspace ws;
  std::filesystem::create_directory(ws.root() + "-evil");
  CHECK(bash(ws, "cd ../ws-evil").cwd == ws.root());
  REQUIRE(::symlink("/", ws.path("link").c_str()) == 0);
  CHECK(says(bash(ws, "cd link"), "outside the workspace"));
}

TEST_CASE("a directory that is gone is told and left") {
  Workspace ws;
  std::filesystem::create_directory(ws.path("gone"));
  REQUIRE(bash(ws, "cd gone").cwd == ws.path("gone"));
  std::filesystem::remove(ws.path("gone"));
  const Outcome outcome = bash(ws, "echo never");
  CHECK(outcome.is_error);
  CHECK(says(outcome, "does not exist any more"));
  CHECK(outcome.cwd == ws.root());
  CHECK_FALSE(bash(ws, "true").is_error);
}

TEST_CASE("an own trap, exec, and a redirected shell leave the directory as it was") {
  Workspace ws;
  std::filesystem::create_directory(ws.path("s"));
  CHECK_FALSE(bash(ws, "cd s; exec true").cwd);
  CHECK(text_of(bash(ws, "trap 'echo bye' EXIT")) == "bye\n");
  CHECK(bash(ws, "exec >/dev/null 2>&1; set -C; cd s").cwd == ws.path("s"));
}

TEST_CASE("nothing waits for a person") {
  Workspace ws;
  CHECK(text_of(bash(ws, "read x; echo \"got [$x]\"")) == "got []\n");
  CHECK(text_of(bash(ws, "cat")) == "(no output)");
  CHECK(bash(ws, ": > /dev/tty").is_error);
}

TEST_CASE("a background child does not hold the call, and is named") {
  Workspace ws;
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = bash(ws, "sleep 300 & echo started");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK_FALSE(outcome.is_error);
  CHECK(says(outcome, "started\n"));
  CHECK(says(outcome, "still running in the background"));
  CHECK(says(outcome, "sleep 300"));
  ws.io().commands().end_session("session");
}

TEST_CASE("a background subshell is named without our own words around the command") {
  Workspace ws;
  const Outcome outcome =
      bash(ws, "(while :; do read -t 300 < <(:); sleep 300; done) & echo started");
  CHECK(says(outcome, "a part of this command"));
  CHECK_FALSE(says(outcome, "agentd_cwd"));
  ws.io().commands().end_session("session");
}

TEST_CASE("a timeout kills and tells") {
  Workspace ws;
  const Outcome outcome =
      ws.call("Bash", {{"command", "echo before; sleep 300; echo after"}, {"timeout", "300"}});
  CHECK(outcome.is_error);
  CHECK(outcome.cancels_queued);
  CHECK(says(outcome, "Timed out after 300 ms"));
  CHECK(says(outcome, "before"));
  CHECK_FALSE(says(outcome, "after\n"));
  CHECK(outcome.details["timedOut"] == true);
}

TEST_CASE("a timeout above the most there is, is lowered and told") {
  Workspace ws;
  const Outcome outcome = ws.call("Bash", {{"command", "echo x"}, {"timeout", 99999999}});
  CHECK_FALSE(outcome.is_error);
  CHECK(says(outcome, "lowered to 600000 ms"));
}

TEST_CASE("a stop request ends the command and keeps what it wrote") {
  Workspace ws;
  std::jthread stopper([&] {
    while (ws.progress().find("begun") == std::string::npos) std::this_thread::yield();
    ws.stop().request_stop();
  });
  const Outcome outcome = bash(ws, "echo begun; sleep 300");
  CHECK(outcome.is_error);
  CHECK(says(outcome, "The command was killed"));
  CHECK(says(outcome, "begun"));
}

TEST_CASE("an output larger than its file may be is not called whole") {
  Workspace ws;
  const Outcome outcome = ws.call("Bash", {{"command", "yes | head -c 70000000"}});
  CHECK(says(outcome, "(the first 64.0 MB of 66.7 MB are in "));
  CHECK_FALSE(says(outcome, "whole output"));
}

TEST_CASE("long output keeps both ends and names the whole") {
  Workspace ws;
  const Outcome outcome = bash(ws, "seq 1 100000");
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome).size() < 32'000);
  CHECK(says(outcome, "1\n2\n3\n"));
  CHECK(says(outcome, "100000\n"));
  CHECK(says(outcome, "left out"));
  const std::string file = outcome.details.at("outputFile").get<std::string>();
  CHECK(says(outcome, file));
  CHECK(std::filesystem::file_size(file) == 588'895);
  std::filesystem::remove(file);
}

TEST_CASE("output that is not text") {
  Workspace ws;
  for (const char* command :
       {"printf '\\xff\\xfe\\x80'", "printf '\\xf0'", "printf '\\xed\\xa0\\xbd'",
        "head -c 4000 /bin/ls", "printf 'a\\0b'"}) {
    CAPTURE(command);
    const Outcome outcome = bash(ws, command);
    CHECK_FALSE(outcome.is_error);
    CHECK(utf8::valid(text_of(outcome)));
  }
  CHECK(utf8::valid(ws.progress()));
  CHECK(says(bash(ws, "head -c 4000 /bin/ls"), "ELF"));
}

TEST_CASE("SIGPIPE works in the child, and the shell is no login shell") {
  Workspace ws;
  CHECK(text_of(bash(ws, "yes | head -1")) == "y\n");
  CHECK(text_of(bash(ws, "shopt -q login_shell; echo $?")) == "1\n");
  ws.put("env", "echo noise\n");
  ::setenv("BASH_ENV", ws.path("env").c_str(), 1);
  CHECK(text_of(bash(ws, "echo x")) == "x\n");
  ::unsetenv("BASH_ENV");
}

TEST_CASE("no report file is left") {
  const std::size_t before = reports_left();
  Workspace ws;
  bash(ws, "cd /; exit 1");
  CHECK(reports_left() == before);
}

TEST_CASE("inputs that do not pass, and what the rest say of themselves") {
  Workspace ws;
  CHECK(says(ws.refusal("Bash", {{"command", "  \n"}}), "must not be empty"));
  CHECK(says(ws.refusal("Bash", {{"command", std::string("ls\0x", 4)}}), "NUL"));
  CHECK(says(ws.refusal("Bash", {{"command", std::string(200'000, 'x')}}), "longer than"));
  CHECK_FALSE(ws.refusal("Bash", {{"command", "ls"}, {"timeout", 0}}).empty());
  CHECK_FALSE(ws.refusal("Bash", {{"cmd", "ls"}}).empty());
  CHECK_FALSE(ws.tool("Bash").safe({{"command", "ls"}}));
  CHECK(ws.tool("Bash").access({{"command", "ls"}}, "/ws").command == "ls");
  // As long as one argument may be: it starts.
  const std::string longest = "true " + std::string(128 * 1024 - 6, 'x');
  CHECK_FALSE(bash(ws, longest).is_error);
}
