// The real Commands, with real processes. Each case ends by looking for what must not be left.
#include "platform/commands.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>

#include "platform/fd.h"
#include "platform/io.h"
#include "platform/process_tree.h"
#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
using namespace std::chrono_literals;
using How = CommandEnd::How;

namespace {

// An io thread whose end is checked: no child, no descriptor, no temporary directory.
class Rig {
 public:
  Rig() : descriptors_(open_descriptors()) {
    ::setenv("TMPDIR", scratch_.path().c_str(), 1);
    io_ = std::make_unique<Io>();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig() {
    io_.reset();
    ::unsetenv("TMPDIR");
    CHECK(no_children());
    CHECK(open_descriptors() == descriptors_);
    std::size_t kept = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
      kept += entry.path().filename().string().starts_with("agentd-") ? 1U : 0U;
    }
    CHECK(kept == 0);
  }

  Io& io() { return *io_; }
  const Scratch& scratch() const { return scratch_; }

  CommandSpec bash(const std::string& script) const {
    CommandSpec spec;
    spec.argv = {"bash", "-c", script};
    spec.cwd = scratch_.path();
    spec.session_id = "session";
    return spec;
  }
  CommandEnd run(CommandSpec spec, std::stop_token stop = {}) {
    auto end = io_->commands().run(std::move(spec), stop);
    REQUIRE(end);
    return std::move(*end);
  }
  CommandEnd run(const std::string& script) { return run(bash(script)); }
  // Starts it, waits until it has printed something, then stops it. `taken`: from stop to end.
  CommandEnd run_then_stop(CommandSpec spec, std::chrono::milliseconds* taken = nullptr) {
    std::stop_source source;
    std::atomic<std::int64_t> stopped_at{0};
    spec.on_output = [&](OutputStream, std::string_view) {
      if (stopped_at.exchange(std::chrono::steady_clock::now().time_since_epoch().count()) != 0) {
        return;
      }
      std::thread([source]() mutable { source.request_stop(); }).detach();
    };
    CommandEnd end = run(std::move(spec), source.get_token());
    if (taken != nullptr) {
      *taken = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now().time_since_epoch() -
          std::chrono::nanoseconds(stopped_at.load()));
    }
    return end;
  }

 private:
  Scratch scratch_;
  std::size_t descriptors_;
  std::unique_ptr<Io> io_;
};

bool alive(int pid) {
  const auto process = read_process(pid);
  return process && !process->dead();
}

// Up to two seconds for a process to go: an upper bound, not a pause.
bool gone_soon(int pid) {
  const auto deadline = std::chrono::steady_clock::now() + 2s;
  while (alive(pid) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return !alive(pid);
}

int number_in(const std::string& path) {
  return std::stoi(get(path));
}

}  // namespace

TEST_CASE("exit code, signal, both streams and duration are told") {
  Rig rig;
  const CommandEnd end = rig.run("echo out; echo err >&2; exit 3");
  CHECK(end.how == How::exited);
  CHECK(end.exit_code == 3);
  CHECK(end.standard_output.head == "out\n");
  CHECK(end.standard_error.head == "err\n");
  CHECK(end.still_running.empty());
  const CommandEnd killed = rig.run("kill -9 $$");
  CHECK(killed.how == How::signalled);
  CHECK(killed.signal == SIGKILL);
}

TEST_CASE("merged streams keep the order in which they were written") {
  Rig rig;
  CommandSpec spec = rig.bash("for i in 1 2 3; do echo o$i; echo e$i >&2; done");
  spec.merge_streams = true;
  const CommandEnd end = rig.run(std::move(spec));
  CHECK(end.standard_output.head == "o1\ne1\no2\ne2\no3\ne3\n");
  CHECK(end.standard_error.total_bytes == 0);
}

TEST_CASE("a program or directory that is not there is an error that names it") {
  Rig rig;
  CommandSpec spec = rig.bash("");
  spec.argv = {"no-such-program-here"};
  auto end = rig.io().commands().run(spec, {});
  REQUIRE(!end);
  CHECK(end.error().code == Code::not_found);
  CHECK(end.error().message.find("no-such-program-here") != std::string::npos);
  spec = rig.bash("true");
  spec.cwd = "/no/such/directory";
  end = rig.io().commands().run(spec, {});
  REQUIRE(!end);
  CHECK(end.error().message.find("/no/such/directory") != std::string::npos);
  put(rig.scratch() / "broken", "\x7F not a program");
  std::filesystem::permissions(rig.scratch() / "broken", std::filesystem::perms::owner_all);
  spec = rig.bash("");
  spec.argv = {rig.scratch() / "broken"};
  end = rig.io().commands().run(spec, {});
  REQUIRE(!end);
  CHECK(end.error().message.find("broken") != std::string::npos);
}

TEST_CASE("children: own session, stdin at its end, no foreign descriptor, default signals") {
  Rig rig;
  const Fd inherited_by_mistake(::dup(0));  // not close-on-exec
  const CommandEnd end = rig.run(
      "readlink /proc/self/fd/0; ls /proc/self/fd | tr '\\n' ' '; echo;"
      "grep -E '^Sig(Blk|Ign)' /proc/self/status | tr '\\n\\t' '  '; echo;"
      "[ $(ps -o sid= -p $$) = $$ ] && echo session; cat; read x || echo eof;"
      "(exec 2>/dev/null; : </dev/tty) || echo no-tty");
  CHECK(end.standard_output.head ==
        "/dev/null\n0 1 2 3 \n"  // 3 is ls's own
        "SigBlk: 0000000000000000 SigIgn: 0000000000000000 \n"
        "session\neof\nno-tty\n");
}

TEST_CASE("a pipe that closes early ends its writer silently (field report 46)") {
  Rig rig;
  const CommandEnd end = rig.run("yes | head -1; echo ${PIPESTATUS[*]}");
  CHECK(end.standard_output.head == "y\n141 0\n");
  CHECK(end.standard_error.head.empty());
}

TEST_CASE("a program that does not read its stdin is no error (field report 46)") {
  Rig rig;
  CommandSpec spec = rig.bash("true");
  spec.stdin_text.assign(1024 * 1024, 'x');
  CHECK(rig.run(spec).exit_code == 0);
  spec.argv[2] = "exec <&-; echo '{}'";
  const CommandEnd end = rig.run(spec);
  CHECK(end.exit_code == 0);
  CHECK(end.standard_output.head == "{}\n");
  spec.argv[2] = "wc -c";
  CHECK(rig.run(spec).standard_output.head == "1048576\n");
}

TEST_CASE("a background child that holds the pipe does not hold the result (field report 7)") {
  Rig rig;
  for (const char* script :
       {"sleep 300 & echo done", "sleep 300 </dev/null >/dev/null & echo done",
        "sleep 300 >/dev/null 2>&1 & echo done", "setsid sleep 300 & echo done",
        "(sleep 300 &); echo done", "setsid sleep 300 </dev/null >/dev/null 2>&1 & echo done"}) {
    CAPTURE(script);
    const CommandEnd end = rig.run(script);
    CHECK(end.how == How::exited);
    CHECK(end.standard_output.head == "done\n");
    CHECK(end.duration < 2s);
    REQUIRE(end.still_running.size() == 1);
    CHECK(end.still_running[0].starts_with("pid "));  // what runs may be about to be executed
    const int pid = std::stoi(end.still_running[0].substr(4));
    CHECK(alive(pid));
    rig.io().commands().end_session("another");
    CHECK(alive(pid));
    rig.io().commands().end_session("session");
    CHECK(!alive(pid));
  }
}

TEST_CASE("output on its way when the shell exits is not lost") {
  Rig rig;
  const CommandEnd end = rig.run("echo one > >(sleep 0.03; cat)");
  CHECK(end.standard_output.head == "one\n");
}

TEST_CASE("nothing waits for a person (field report 8)") {
  Rig rig;
  const CommandEnd end = rig.run(
      "read x; echo read:$x; cat; echo $GIT_EDITOR $GIT_SEQUENCE_EDITOR $GIT_TERMINAL_PROMPT "
      "$PAGER $TERM; python3 -c 'input()' 2>/dev/null || echo eof; cat <<EOF\nopen");
  CHECK(end.standard_output.head == "read:\ntrue false 0 cat dumb\neof\nopen\n");
  CHECK(end.duration < 20s);
}

TEST_CASE("no login shell, no start files (field report 81)") {
  const Scratch home;
  for (const char* file : {".bashrc", ".profile", ".bash_profile", "noise"}) {
    put(home / file, "echo noise\n");
  }
  ::setenv("BASH_ENV", (home / "noise").c_str(), 1);
  {
    Rig rig;
    CommandSpec spec = rig.bash("echo clean:$BASH_ENV");
    spec.environment = {{"HOME", home.path()}};
    CHECK(rig.run(std::move(spec)).standard_output.head == "clean:\n");
  }
  ::unsetenv("BASH_ENV");
}

TEST_CASE("the key does not reach children") {
  ::setenv("ANTHROPIC_API_KEY", "sk-very-secret", 1);
  {
    Rig rig;
    const CommandEnd end = rig.run("env; tr '\\0' '\\n' </proc/$$/environ");
    CHECK(end.standard_output.head.find("PATH=") != std::string::npos);
    CHECK(end.standard_output.head.find("sk-very-secret") == std::string::npos);
  }
  ::unsetenv("ANTHROPIC_API_KEY");
}

TEST_CASE("big output stays within bounds (field report 32)") {
  Rig rig;
  for (const char* script : {"yes | head -c 100000000", "head -c 100000000 /dev/zero"}) {
    CommandSpec spec = rig.bash(script);
    spec.keep_head = 1000;
    spec.keep_tail = 500;
    const CommandEnd end = rig.run(std::move(spec));
    CHECK(end.standard_output.total_bytes == 100'000'000);
    CHECK(end.standard_output.head.size() == 1000);
    CHECK(end.standard_output.tail.size() == 500);
    CHECK(end.standard_output.skipped_bytes == 100'000'000 - 1500);
    CHECK(end.whole_file.empty());
  }
}

TEST_CASE("the whole output is in a file once memory does not hold it, up to the cap") {
  Rig rig;
  CommandSpec spec = rig.bash("seq 1 20000");
  spec.keep_whole = true;
  spec.keep_head = 100;
  spec.keep_tail = 100;
  const CommandEnd end = rig.run(spec);
  std::string expected;
  for (int i = 1; i <= 20000; ++i) expected += std::to_string(i) + '\n';
  REQUIRE(!end.whole_file.empty());
  CHECK(get(end.whole_file) == expected);
  CHECK(end.standard_output.head == expected.substr(0, 100));
  CHECK(end.standard_output.tail == expected.substr(expected.size() - 100));
  spec.whole_limit = 5000;
  CHECK(end.whole_bytes == expected.size());
  const CommandEnd cut = rig.run(spec);
  CHECK(get(cut.whole_file) == expected.substr(0, 5000));
  CHECK(cut.whole_bytes == 5000);
  spec.argv[2] = "echo small";
  CHECK(rig.run(spec).whole_file.empty());
}

TEST_CASE("a flood is killed above its limit") {
  Rig rig;
  CommandSpec spec = rig.bash("yes");
  spec.kill_above = 1'000'000;
  const CommandEnd end = rig.run(std::move(spec));
  CHECK(end.how == How::too_much_output);
  CHECK(end.standard_output.total_bytes > 1'000'000);
}

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

TEST_CASE("while the gate is closed pipes are not read; opening it brings the rest") {
  Rig rig;
  CommandSpec spec = rig.bash("head -c 3000000 /dev/zero; echo x > written");
  spec.gate = std::make_shared<FlowGate>();
  std::atomic<std::uint64_t> seen{0};
  std::promise<void> first;
  spec.on_output = [&, gate = spec.gate](OutputStream, std::string_view bytes) {
    if (seen.fetch_add(bytes.size()) == 0) {
      gate->close();
      first.set_value();
    }
  };
  const auto gate = spec.gate;
  std::promise<CommandEnd> ended;
  std::thread caller([&] { ended.set_value(rig.run(std::move(spec))); });
  first.get_future().wait();
  auto end = ended.get_future();
  // It cannot end: its 3 MB do not fit in the pipe, and nobody reads.
  CHECK(end.wait_for(100ms) == std::future_status::timeout);
  CHECK(!std::filesystem::exists(rig.scratch() / "written"));
  gate->open();
  CHECK(end.get().standard_output.total_bytes == 3'000'000);
  CHECK(seen == 3'000'000);
  caller.join();
}

TEST_CASE("starting a shell costs about what fork and exec cost") {
  Rig rig;
  const auto median_ms = [](const auto& work) {
    std::vector<double> times;
    for (int i = 0; i < 41; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      work();
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
              .count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  const double ours = median_ms([&] { rig.run("true"); });
  const double least = median_ms([] {
    const pid_t pid = ::vfork();
    if (pid == 0) {
      ::execl("/bin/bash", "bash", "-c", "true", nullptr);
      ::_exit(127);
    }
    ::waitpid(pid, nullptr, 0);
  });
  MESSAGE("bash -c true: " << ours << " ms, with vfork and exec alone " << least << " ms");
  CHECK(ours < 3 * least + 5);  // room for a busy machine
}
