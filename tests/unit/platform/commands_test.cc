// Commands as real processes: what they are given, and what is told of what they print. Each case
// ends by looking for what must not be left.
#include "platform/commands.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <thread>

#include "command_rig.h"
#include "platform/fd.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
using namespace std::chrono_literals;
using How = CommandEnd::How;
using Rig = CommandRig;

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
