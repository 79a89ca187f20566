// How commands end, as real processes: stopped, killed, timed out, with their whole tree and no
// other's. Each case ends by looking for what must not be left.
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "command_rig.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
using namespace std::chrono_literals;
using How = CommandEnd::How;
using Rig = CommandRig;

TEST_CASE("a stopped tail -f is gone and reported at once") {
  Rig rig;
  std::chrono::milliseconds taken{0};
  const CommandEnd end =
      rig.run_then_stop(rig.bash("echo $$ > pid; echo ready; tail -f /dev/null"), &taken);
  CHECK(end.how == How::cancelled);
  CHECK(end.unkillable.empty());
  CHECK(!alive(number_in(rig.scratch() / "pid")));
  MESSAGE("from stop to end: " << taken.count() << " ms");
  CHECK(taken < 500ms);  // 10 ms on a quiet machine; this one may be busy
}

TEST_CASE("a stop before the start starts nothing") {
  Rig rig;
  std::stop_source source;
  source.request_stop();
  CHECK(rig.run(rig.bash("touch started"), source.get_token()).how == How::cancelled);
  CHECK(!std::filesystem::exists(rig.scratch() / "started"));
}

TEST_CASE("a trap may tidy up on TERM, and is heard") {
  Rig rig;
  const CommandEnd end = rig.run_then_stop(
      rig.bash("trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.01; done"));
  CHECK(end.how == How::cancelled);
  CHECK(end.standard_output.head == "ready\ntidy\n");
}

TEST_CASE("a stopped (SIGSTOP) process is ended by TERM") {
  Rig rig;
  std::chrono::milliseconds taken{0};
  rig.run_then_stop(rig.bash("(kill -STOP $BASHPID; sleep 300) & echo ready; wait"), &taken);
  CHECK(taken < 1900ms);  // before KILL
}

TEST_CASE("a tree that ignores TERM is killed after the grace (field report 35)") {
  Rig rig;
  CommandSpec spec = rig.bash("trap '' TERM; (sleep 300 & echo $! > inner; wait) & sleep 300");
  spec.timeout = 300ms;
  const CommandEnd end = rig.run(std::move(spec));
  CHECK(end.how == How::timed_out);
  CHECK(end.duration >= 2300ms);
  CHECK(end.duration < 3300ms);
  CHECK(end.unkillable.empty());
  CHECK(!alive(number_in(rig.scratch() / "inner")));
}

TEST_CASE("a child in a session of its own does not survive (field report 35)") {
  Rig rig;
  const std::string leave = "echo $BASHPID > pid; echo ready; exec sleep 300";
  for (const std::string& script :
       {"setsid bash -c '" + leave + "' & wait", "setsid bash -c '" + leave + "'; true",
        // double fork
        "(setsid bash -c '" + leave + "' &); sleep 300",
        // the same without our mark in its environment
        "(env -i PATH=$PATH setsid bash -c '" + leave + "' &); sleep 300"}) {
    CAPTURE(script);
    const CommandEnd end = rig.run_then_stop(rig.bash(script));
    CHECK(end.how == How::cancelled);
    CHECK(end.unkillable.empty());
    CHECK(end.duration < 2s);
    CHECK(!alive(number_in(rig.scratch() / "pid")));
  }
}

TEST_CASE("a kill spares what another command left running") {
  Rig rig;
  CommandSpec server = rig.bash("env -i /bin/sleep 301 & disown; echo started");
  server.session_id = "first";
  const CommandEnd left = rig.run(std::move(server));
  REQUIRE(left.still_running.size() == 1);
  const int pid = std::stoi(left.still_running[0].substr(4));
  const CommandEnd end = rig.run_then_stop(rig.bash("echo ready; (setsid sleep 302 &); sleep 300"));
  CHECK(end.unkillable.empty());
  CHECK(alive(pid));
  // And a later command does not name it as its own.
  CHECK(rig.run("true").still_running.empty());
  rig.io().commands().end_session("");
  CHECK(!alive(pid));
}

TEST_CASE("commands side by side keep their processes apart") {
  Rig rig;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::vector<std::vector<std::string>> named(4);
  for (std::size_t i = 0; i < named.size(); ++i) {
    threads.emplace_back([&, i, file = "pid" + std::to_string(i)] {
      const auto end = rig.io().commands().run(
          rig.bash("(setsid bash -c 'echo $$ > " + file + "; exec sleep 300' &); until [ -s " +
                   file + " ]; do :; done"),
          {});
      std::lock_guard lock(mutex);
      named[i] = end->still_running;
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < named.size(); ++i) {
    const int pid = number_in(rig.scratch() / ("pid" + std::to_string(i)));
    REQUIRE(named[i].size() == 1);
    CHECK(named[i][0].starts_with("pid " + std::to_string(pid) + " ("));
  }
}

TEST_CASE("orphans that die are reaped while nothing else happens") {
  Rig rig;
  const CommandEnd end = rig.run(
      "(setsid bash -c 'echo $$ > pid; exec sleep 0.2' &); "
      "until [ -s pid ]; do :; done");
  CHECK(end.still_running.size() == 1);
  const int pid = number_in(rig.scratch() / "pid");
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  while (read_process(pid) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  CHECK(!read_process(pid));  // not even a zombie
}

TEST_CASE("what sheds every trace of its command ends with the io thread") {
  int pid = 0;
  {
    Rig rig;
    // The shell is gone before there is anything to see: the process appears after its end.
    const std::string file = rig.scratch() / "pid";
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    rig.run(
        "(sleep 0.1; env -i setsid bash -c 'echo $$ > pid; exec sleep 301' &) "
        ">/dev/null 2>&1 &");
    pid = number_in(file);
    CHECK(alive(pid));
  }
  CHECK(!alive(pid));
}

TEST_CASE("what sheds every trace while two commands run is neither's") {
  Rig rig;
  const std::string other_ends = rig.scratch() / "other";
  REQUIRE(::mkfifo(other_ends.c_str(), 0600) == 0);
  std::promise<void> started;
  CommandSpec other = rig.bash("echo x; read < other");
  other.on_output = [&](OutputStream, std::string_view) { started.set_value(); };
  CommandEnd other_end;
  std::thread thread([&] { other_end = rig.run(std::move(other)); });
  started.get_future().wait();
  const CommandEnd end = rig.run(
      "(env -i PATH=$PATH setsid bash -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 &); "
      "until [ -s pid ]; do :; done");
  std::ofstream(other_ends) << "end\n";
  thread.join();
  CHECK(end.still_running.empty());
  CHECK(other_end.still_running.empty());
  CHECK(rig.run("true").still_running.empty());
  CHECK(alive(number_in(rig.scratch() / "pid")));
}

TEST_CASE("the end of the io thread ends running commands and what was left behind") {
  const Scratch scratch;
  auto io = std::make_unique<Io>();
  CommandSpec spec;
  spec.cwd = scratch.path();
  spec.argv = {"bash", "-c", "sleep 300 & echo x"};
  const auto first = io->commands().run(spec, {});
  const int left = std::stoi(first->still_running.at(0).substr(4));
  std::promise<void> started;
  std::promise<CommandEnd> ended;
  spec.argv[2] = "echo $$; trap '' TERM; sleep 300";
  spec.on_output = [&](OutputStream, std::string_view) { started.set_value(); };
  std::thread caller(
      [&, &commands = io->commands()] { ended.set_value(std::move(*commands.run(spec, {}))); });
  started.get_future().wait();
  io.reset();
  const CommandEnd end = ended.get_future().get();
  caller.join();
  CHECK(end.how == How::cancelled);
  CHECK(end.unkillable.empty());
  CHECK(!alive(std::stoi(end.standard_output.head)));
  CHECK(!alive(left));
  CHECK(no_children());
}

// Runs only as a program of its own, started by the next case, which kills it.
TEST_CASE("victim" * doctest::skip()) {
  const char* directory = std::getenv("AGENTD_TEST_VICTIM");
  REQUIRE(directory != nullptr);
  Io io;
  CommandSpec spec;
  spec.argv = {"bash", "-c", "echo $$ > pid; exec sleep 300"};
  spec.cwd = directory;
  (void)io.commands().run(spec, {});
}

TEST_CASE("a child dies with agentd, however agentd dies") {
  const Scratch scratch;
  const pid_t agentd = ::fork();
  REQUIRE(agentd >= 0);
  if (agentd == 0) {
    ::setenv("AGENTD_TEST_VICTIM", scratch.path().c_str(), 1);
    ::execl("/proc/self/exe", "unit_platform", "--no-skip", "--test-case=victim", nullptr);
    ::_exit(127);
  }
  const std::string file = scratch / "pid";
  while (!get(file).ends_with('\n')) std::this_thread::yield();
  const int child = number_in(file);
  ::kill(agentd, SIGKILL);
  REQUIRE(::waitpid(agentd, nullptr, 0) == agentd);
  CHECK(gone_soon(child));
}
