#include "platform/process_tree.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "scratch.h"

using namespace agentd::platform;
using namespace agentd::platform::test;

namespace {

// A child that does `setup`, says so through a pipe, and waits to be killed.
template <class Setup>
pid_t waiting_child(Setup setup) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    std::signal(SIGTERM, SIG_DFL);  // not doctest's handler
    setup();
    [[maybe_unused]] const ssize_t told = ::write(ends[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);
  ::close(ends[0]);
  ::close(ends[1]);
  return pid;
}

int end_child(pid_t pid) {
  int status = 0;
  ::kill(pid, SIGKILL);
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WTERMSIG(status);
}

}  // namespace

TEST_CASE("a process is read, whatever its name looks like") {
  const pid_t pid = waiting_child([] { ::prctl(PR_SET_NAME, ") Z 1 (2) x"); });
  const auto process = read_process(pid);
  REQUIRE(process);
  CHECK(process->pid == pid);
  CHECK(process->parent == ::getpid());
  CHECK(process->session == ::getsid(0));
  CHECK(process->group == ::getpgrp());
  CHECK(process->threads >= 1);  // ThreadSanitizer adds one of its own
  CHECK(process->start_time > 0);
  CHECK(!process->dead());
  ::kill(pid, SIGKILL);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(read_process(pid)->dead());
  end_child(pid);
  CHECK(!read_process(pid));
}

TEST_CASE("descendants are found over several generations, in any order of numbers") {
  const auto process = [](int pid, int parent) {
    ProcessInfo info;
    info.pid = pid;
    info.parent = parent;
    return info;
  };
  const std::vector<ProcessInfo> all = {process(2, 9),  process(3, 2), process(5, 1),
                                        process(9, 7),  process(7, 1), process(8, 5),
                                        process(10, 4), process(4, 3)};
  std::vector<int> found;
  for (const ProcessInfo& member : descendants(all, {7})) found.push_back(member.pid);
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<int>{2, 3, 4, 7, 9, 10});
  CHECK(descendants(all, {}).empty());
}

TEST_CASE("a signal reaches the process meant, never one that took its number") {
  const pid_t pid = waiting_child([] {});
  ProcessInfo process = *read_process(pid);
  ++process.start_time;
  send_signal(process, SIGTERM);  // as if the number had been used again
  CHECK(!read_process(pid)->dead());
  --process.start_time;
  send_signal(process, SIGTERM);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("the mark is read from the environment a program was started with") {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::execle("/bin/sleep", "sleep", "300", nullptr,
             std::array<const char*, 4>{"NOT_AGENTD_CALL=x", "AGENTD_CALL=one=two", "A=b", nullptr}
                 .data());
    ::_exit(127);
  }
  while (describe_process(pid).find("(sleep 300)") == std::string::npos) {
  }
  CHECK(call_mark(pid) == "one=two");
  CHECK(describe_process(pid) == "pid " + std::to_string(pid) + " (sleep 300)");
  end_child(pid);
  CHECK(!call_mark(pid));
}
