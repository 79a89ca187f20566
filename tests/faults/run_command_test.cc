// `agentd run` from a shell: streams, exit codes, piped input, and a person at a terminal.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "temporary_workspace.h"

using namespace agentd::testing;
using Json = nlohmann::json;

namespace {

const std::string kWrite = R"(
reply
  when results 0
  text Writing.
  call Write {"file_path":"a.txt","content":"hello\n"}
reply
  when result ok
  text It is written.
reply
  text It is not written.
)";

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs a shell line in the workspace; `agentd` in it is the binary.
Ran shell(const TemporaryWorkspace& workspace, const std::string& line) {
  workspace.write("line.sh", "agentd() { " AGENTD_BINARY " \"$@\"; }\ncd " + workspace.work() +
                                 "\nexport HOME=" + workspace.home() +
                                 "\nunset ANTHROPIC_API_KEY XDG_CONFIG_HOME XDG_DATA_HOME\n" +
                                 line + "\n");
  const std::string command = "timeout 60 bash " + workspace.path("line.sh") + " >" +
                              workspace.path("out") + " 2>" + workspace.path("err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, workspace.read("out"),
          workspace.read("err")};
}

// A bare container may have no terminals to give.
bool no_terminals() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal >= 0) close(terminal);
  if (terminal < 0) MESSAGE("SKIPPED: this machine gives no pseudo-terminals (/dev/pts)");
  return terminal < 0;
}

// Where the next question after `from` ends, of whichever kind.
std::size_t question_end(const std::string& screen, std::size_t from) {
  const std::size_t question =
      std::min(screen.find("Allow it?", from), screen.find("or your own words", from));
  return screen.find("> ", question);
}

// The binary on a terminal of its own: types the next of `answers` at each question; returns the
// screen and the exit code.
Ran at_terminal(const TemporaryWorkspace& workspace, const std::string& model,
                const std::vector<std::string>& answers, const std::string& ahead = "") {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    setenv("HOME", workspace.home().c_str(), 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_DATA_HOME");
    if (chdir(workspace.work().c_str()) != 0) _exit(126);
    execl(AGENTD_BINARY, AGENTD_BINARY, "run", "--model", model.c_str(), "go", nullptr);
    _exit(127);
  }
  CHECK(write(terminal, ahead.data(), ahead.size()) == static_cast<ssize_t>(ahead.size()));
  Ran ran;
  std::size_t typed = 0;
  std::size_t seen = 0;
  char buffer[4096];
  pollfd watched{terminal, POLLIN, 0};
  while (poll(&watched, 1, 30'000) > 0) {
    const ssize_t n = read(terminal, buffer, sizeof buffer);
    if (n <= 0) break;
    ran.out.append(buffer, static_cast<std::size_t>(n));
    const std::size_t question = question_end(ran.out, seen);
    if (question == std::string::npos || typed == answers.size()) continue;
    seen = question;
    if (answers[typed].empty()) break;  // hang up
    const std::string& answer = answers[typed++];
    CHECK(write(terminal, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()));
  }
  close(terminal);  // whoever still runs gets SIGHUP
  int status = 0;
  waitpid(pid, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

}  // namespace

TEST_CASE("the answer on standard output, activity on standard error, exit 0") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script(kWrite);
  const Ran ran = shell(
      workspace, "agentd run --permission-mode acceptEdits --model " + model + " 'go' </dev/null");
  CHECK(ran.code == 0);
  CHECK(ran.out == "Writing.\n\nIt is written.\n");
  CHECK(ran.err == "* Write a.txt\n  Write a.txt completed\n");
  CHECK(workspace.read("work/a.txt") == "hello\n");
}

TEST_CASE("nobody to ask: denied, and the run goes on") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script(kWrite);
  const Ran ran = shell(workspace, "agentd run --model " + model + " 'go' </dev/null");
  CHECK(ran.code == 0);
  CHECK(ran.out == "Writing.\n\nIt is not written.\n");
  CHECK(ran.err.find("  Write a.txt denied: ") != std::string::npos);
  CHECK(ran.err.ends_with(
      "\n1 call was denied because nobody could be asked; --permission-mode acceptEdits allows "
      "edits\n"));
  CHECK(workspace.read("work/a.txt").empty());
}

TEST_CASE("the tools that are offered") {
  TemporaryWorkspace workspace;
  const std::string begin =
      "agentd run --permission-mode acceptEdits --model " + workspace.script(kWrite);
  Ran ran = shell(workspace, begin + " --tools 'Read, Grep' 'go' </dev/null");
  CHECK(ran.code == 0);
  CHECK(ran.err.find("Tools you can call: Read, Grep.") != std::string::npos);
  CHECK(workspace.read("work/a.txt").empty());
  ran = shell(workspace, begin + " --tools Fetch 'go' </dev/null");
  CHECK(ran.code == 2);
  CHECK(ran.err.find("there is no tool \"Fetch\"") != std::string::npos);
  ran = shell(workspace, begin + " --tools '' 'go' </dev/null");
  CHECK(ran.code == 0);
  CHECK(ran.err.find("nor any other") != std::string::npos);
}

TEST_CASE("both outputs in one file: no line is glued to another") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script(kWrite);
  const Ran ran = shell(workspace, "agentd run --permission-mode acceptEdits --model " + model +
                                       " 'go' </dev/null 2>&1");
  CHECK(ran.out.find("\n  Write a.txt completed\n") != std::string::npos);
  CHECK(("\n" + ran.out).find("\nWriting.\n") != std::string::npos);
  CHECK(ran.out.ends_with("\nIt is written.\n"));
}

TEST_CASE("--json prints the notifications, one per line") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script("reply\n  text hi\n");
  const Ran ran = shell(workspace, "agentd run --json --model " + model + " 'go' </dev/null");
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  std::vector<std::string> methods;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = ran.out.find('\n', begin)) != std::string::npos;) {
    const Json message = Json::parse(ran.out.substr(begin, end - begin));
    CHECK(message["params"]["seq"] == methods.size() + 1);
    methods.push_back(message["method"]);
    begin = end + 1;
  }
  CHECK(begin == ran.out.size());
  REQUIRE(methods.size() >= 5);
  CHECK(methods.front() == "agent/runStarted");
  CHECK(methods.back() == "agent/runEnded");
}

TEST_CASE("what is piped in is part of the prompt") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script(
      "reply\n  when prompt has needle\n  when prompt has question\n  text both\n"
      "reply\n  when prompt has needle\n  text piped only\n"
      "reply\n  text neither\n");
  const std::string run = "agentd run --model " + model;
  CHECK(shell(workspace, "echo needle | " + run + " question").out == "both\n");
  CHECK(shell(workspace, "echo needle | " + run).out == "piped only\n");
  CHECK(shell(workspace, run + " question </dev/null").out == "neither\n");
}

TEST_CASE("exit codes") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script("reply\n  call Read {\"file_path\":\"a\"}\n");
  const std::string run = "agentd run --model " + model;
  CHECK(shell(workspace, run + " --max-turns 1 go </dev/null").code == 3);
  CHECK(shell(workspace, "agentd run --model no/such go </dev/null").code == 2);
  CHECK(shell(workspace, "agentd run --cwd /does/not/exist go </dev/null").code == 2);
  CHECK(shell(workspace, "agentd run </dev/null").code == 2);
  CHECK(shell(workspace, "agentd run --no-such-flag go </dev/null").code == 2);
  CHECK(shell(workspace, "agentd run --permission-mode yolo go </dev/null").code == 2);
  CHECK(shell(workspace, "agentd --framing carrier-pigeon </dev/null").code == 2);
  const Ran help = shell(workspace, "agentd run --help");
  CHECK(help.code == 0);
  CHECK(help.out.find("Exit codes:") != std::string::npos);
  const Ran version = shell(workspace, "agentd --version");
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("agentd "));
}

TEST_CASE("wrong usage is told in words") {
  TemporaryWorkspace workspace;
  workspace.write("work/here.script", "reply\n  text from here\n");
  const auto refused = [&](const std::string& line, const std::string& words) {
    const Ran ran = shell(workspace, line + " </dev/null");
    CHECK_MESSAGE(ran.code == 2, line);
    CHECK_MESSAGE(ran.err.starts_with("agentd: "), ran.err);
    CHECK_MESSAGE(ran.err.find(words) != std::string::npos, ran.err);
  };
  refused("agentd run --max-turns -1 go", "--max-turns: must be a whole number");
  refused("agentd run --max-turns x go", "--max-turns: must be a whole number");
  refused("agentd run --permission-mode yolo go", "must be ask, acceptEdits, plan or bypass");
  refused("agentd --framing foo", "--framing: must be auto, headers or lines, not `foo`");
  refused("agentd run Put a title on top", "quote it, agentd run \"Put a title on top\"");
  refused("agentd run --no-such-flag go", "there is no option --no-such-flag");
  refused("agentd run --model script: go", "--model: the file is missing");
  refused("agentd run --model script:none go", "--model: there is no file none");
  refused("agentd --model script:none", "--model: there is no file none");
  refused("agentd --framing lines run hi", "--framing before `run`");
  refused("agentd run '   '", "nothing to do");
  CHECK(shell(workspace, "agentd run --model script:here.script go </dev/null").out ==
        "from here\n");
}

TEST_CASE("signals and a reader that closes") {
  TemporaryWorkspace workspace;
  // The command is a child of agentd: it signals its parent and would go on.
  const auto run = [&](const char* signal_name) {
    const auto model =
        workspace.script(std::string("reply\n  call Bash {\"command\":\"echo $$ > pid; kill -") +
                         signal_name + " $PPID; sleep 600\"}\n");
    return shell(workspace,
                 "agentd run --permission-mode bypass --model " + model + " go </dev/null")
        .code;
  };
  CHECK(run("INT") == 130);
  CHECK(run("TERM") == 143);
  const int pid = std::stoi(workspace.read("work/pid"));
  CHECK(kill(pid, 0) != 0);

  const auto talkative = workspace.script("reply\n  text " + std::string(500'000, 'x') + "\n");
  const Ran ran = shell(workspace, "agentd run --model " + talkative +
                                       " go </dev/null | head -c 1 >/dev/null; exit "
                                       "${PIPESTATUS[0]}");
  CHECK(ran.code == 1);
}

// The reader takes nothing until the code is known: only the signal can end the run.
int code_with_stalled_reader(const TemporaryWorkspace& workspace, const std::string& signal,
                             const std::string& redirected) {
  const std::string line =
      "{ timeout --preserve-status -s " + signal +
      " -k 20 2 " AGENTD_BINARY " run --model script:" + workspace.path("long") + " " + redirected +
      "; echo $? >../code; } | while [ ! -e ../code ]; do sleep 0.05; done";
  shell(workspace, line);
  const std::string code = workspace.read("code");
  std::filesystem::remove(workspace.path("code"));
  return code.empty() ? -1 : std::stoi(code);
}

TEST_CASE("a signal ends the run though nobody reads its output") {
  TemporaryWorkspace workspace;
  workspace.write("work/a", "a\n");
  std::string words;
  for (int i = 0; i < 60'000; ++i) words += "word ";
  workspace.write("long", "reply\n when results 0\n text " + words +
                              "\n call Read {\"file_path\":\"a\"}\nreply\n text bye\n");
  CHECK(code_with_stalled_reader(workspace, "TERM", "go 2>/dev/null") == 143);
  CHECK(code_with_stalled_reader(workspace, "INT", "go 2>/dev/null") == 130);
  CHECK(code_with_stalled_reader(workspace, "TERM", "--json go 2>/dev/null") == 143);
  workspace.write(
      "long",
      "reply\n when results 0\n call Bash {\"command\":\"seq 200000\"}\nreply\n text bye\n");
  CHECK(code_with_stalled_reader(workspace, "TERM",
                                 "--permission-mode bypass go 2>&1 >/dev/null") == 143);
}

TEST_CASE("a log in a directory that is not there is refused, and nothing is made") {
  TemporaryWorkspace workspace;
  const Ran ran = shell(workspace, "agentd run --log " + workspace.path("no/such/log") + " hi");
  CHECK(ran.code == 1);
  CHECK(ran.err.find("there is no directory") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(workspace.path("no")));
}

TEST_CASE("the log tells what the run did, and nothing that was said in it") {
  TemporaryWorkspace workspace;
  workspace.write("script", kWrite);
  const Ran ran = shell(workspace,
                        "agentd run --log ../log --permission-mode acceptEdits --model "
                        "script:" +
                            workspace.path("script") + " the-prompt");
  CHECK(ran.code == 0);
  const std::string log = workspace.read("log");
  for (const char* said : {" started, model script:", "turn 1", "Write call_1 runs",
                           "Write call_1 completed", "turn 2 (next_turn)", "ended: completed"}) {
    CAPTURE(said);
    CHECK(log.find(said) != std::string::npos);
  }
  for (const char* secret : {"the-prompt", "hello", "It is written"}) {
    CAPTURE(secret);
    CHECK(log.find(secret) == std::string::npos);
  }
}

TEST_CASE("a command finds no key in agentd's environment, not even as root") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script(
      "reply\n  when results 0\n  call Bash {\"command\":\"cat /proc/$PPID/environ > seen; cat "
      "/proc/$PPID/stat > "
      "parent\"}\nreply\n  text Done.\n");
  const Ran ran = shell(workspace,
                        "export ANTHROPIC_API_KEY=sk-ant-hidden OTHER_TOKEN=hidden-too\n"
                        "agentd run --permission-mode bypass --model " +
                            model + " go </dev/null");
  CHECK(ran.code == 0);
  CHECK(workspace.read("work/parent").find("(agentd)") != std::string::npos);
  const std::string seen = workspace.read("work/seen");
  CHECK(seen.find("HOME=") != std::string::npos);
  CHECK(seen.find("hidden") == std::string::npos);
}

TEST_CASE("a person at a terminal is asked") {
  if (no_terminals()) return;
  TemporaryWorkspace workspace;
  const auto model = workspace.script(kWrite);
  Ran ran = at_terminal(workspace, model, {"stop\n", "n\n"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("+hello") != std::string::npos);
  CHECK(ran.out.find("It is not written.") != std::string::npos);
  CHECK(workspace.read("work/a.txt").empty());

  ran = at_terminal(workspace, model, {"y\n"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("It is written.") != std::string::npos);
  CHECK(workspace.read("work/a.txt") == "hello\n");
}

TEST_CASE("a person at a terminal is asked what the model wants to know") {
  if (no_terminals()) return;
  TemporaryWorkspace workspace;
  const auto model = workspace.script(R"(
reply
  when results 0
  call AskUserQuestion {"questions":[{"question":"Which?","header":"Which","options":[{"label":"Small","description":"a"},{"label":"Large","description":"b"}]},{"question":"Why?","header":"Why","options":[{"label":"So","description":"a"},{"label":"Or","description":"b"}]}]}
reply
  text It ended: ${result}
)");
  Ran ran = at_terminal(workspace, model, {"9\n", "2\n", "just because\n"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("There is no such option.") != std::string::npos);
  CHECK(ran.out.find("(2 of 2) Why?") != std::string::npos);
  CHECK(ran.out.find("Answer: Large") != std::string::npos);
  CHECK(ran.out.find("Answer: just because") != std::string::npos);

  ran = at_terminal(workspace, model, {"1\n", "- decide yourself\n"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("They say: decide yourself") != std::string::npos);
}

TEST_CASE("where nobody can be asked the model has no tool to ask with") {
  TemporaryWorkspace workspace;
  const auto model = workspace.script(R"(
reply
  when results 0
  call AskUserQuestion {"questions":[]}
reply
  text It ended: ${result}
)");
  const Ran ran = shell(workspace, "agentd run --model " + model + " 'go' </dev/null");
  CHECK(ran.code == 0);
  CHECK(ran.out.find("There is no tool named `AskUserQuestion`") != std::string::npos);
}

TEST_CASE("what was typed before the question answers nothing") {
  if (no_terminals()) return;
  TemporaryWorkspace workspace;
  const Ran ran = at_terminal(workspace, workspace.script(kWrite), {"no, later\n"}, "y\n");
  CHECK(ran.code == 0);
  CHECK(ran.out.find("They say: later") != std::string::npos);
  CHECK(workspace.read("work/a.txt").empty());
}

TEST_CASE("a terminal that hangs up at a question ends the run as its signal does") {
  if (no_terminals()) return;
  TemporaryWorkspace workspace;
  CHECK(at_terminal(workspace, workspace.script(kWrite), {""}).code == 143);
  CHECK(workspace.read("work/a.txt").empty());
}

TEST_CASE("a question that nobody would see is not asked") {
  if (no_terminals()) return;
  TemporaryWorkspace workspace;
  const auto model = workspace.script(kWrite);
  const Ran ran = shell(workspace, "script -qec '" AGENTD_BINARY " run --model " + model +
                                       " go 2>err.txt' /dev/null </dev/null");
  CHECK(ran.code == 0);
  CHECK(workspace.read("work/err.txt").find("nobody could be asked") != std::string::npos);
}
