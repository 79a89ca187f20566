#include "platform/stdio.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <iostream>
#include <thread>

#include "scratch.h"

using namespace agentd::platform;
using namespace agentd::platform::test;

namespace {

struct Pair {
  Fd near;
  Fd far;
};

Pair pipe_pair() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {Fd(ends[1]), Fd(ends[0])};  // near writes, far reads
}

Pair socket_pair() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

TEST_CASE("reading returns data, then the end; a wake comes before either") {
  for (const bool socket : {false, true}) {
    Pair pair = socket ? socket_pair() : pipe_pair();
    Wake wake;
    std::array<char, 100> buffer{};
    REQUIRE(::write(pair.near.get(), "hello", 5) == 5);
    wake.wake();
    wake.wake();
    CHECK(read_or_wake(pair.far.get(), wake, buffer).kind == ReadStep::Kind::woken);
    const ReadStep step = read_or_wake(pair.far.get(), wake, buffer);
    CHECK(step.kind == ReadStep::Kind::data);
    CHECK(step.bytes == 5);
    pair.near.reset();
    CHECK(read_or_wake(pair.far.get(), wake, buffer).kind == ReadStep::Kind::end);
  }
}

TEST_CASE("a wake from another thread ends a wait for input and one for room") {
  Pair pair = pipe_pair();
  Wake wake;
  std::array<char, 10> buffer{};
  std::thread waker([&] { wake.wake(); });
  CHECK(read_or_wake(pair.far.get(), wake, buffer).kind == ReadStep::Kind::woken);
  waker.join();

  const std::string much(kWriteAtOnce, 'x');
  const int capacity = ::fcntl(pair.near.get(), F_GETPIPE_SZ);
  for (int filled = 0; filled < capacity; filled += static_cast<int>(much.size())) {
    REQUIRE(write_or_wake(pair.near.get(), wake, much).kind == WriteStep::Kind::wrote);
  }
  std::thread second([&] { wake.wake(); });
  CHECK(write_or_wake(pair.near.get(), wake, much).kind == WriteStep::Kind::woken);
  second.join();
}

TEST_CASE("a write takes at most 4 KB and never blocks on a blocking pipe (field report 29)") {
  Pair pair = pipe_pair();
  Wake wake;
  const std::string much(1024 * 1024, 'x');
  std::size_t sent = 0;
  // As long as there is room a write succeeds; when there is none, poll waits and the wake ends
  // it: a write() that blocked would hang this test.
  while (true) {
    std::thread waker;
    const int room = ::fcntl(pair.near.get(), F_GETPIPE_SZ) - static_cast<int>(sent);
    if (room <= 0) waker = std::thread([&] { wake.wake(); });
    const WriteStep step = write_or_wake(pair.near.get(), wake, much);
    if (waker.joinable()) waker.join();
    if (step.kind == WriteStep::Kind::woken) break;
    REQUIRE(step.kind == WriteStep::Kind::wrote);
    CHECK(step.bytes <= kWriteAtOnce);
    sent += step.bytes;
  }
  CHECK(sent == static_cast<std::size_t>(::fcntl(pair.near.get(), F_GETPIPE_SZ)));
  CHECK((::fcntl(pair.near.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a reader that is gone is told as closed, also when idle") {
  std::signal(SIGPIPE, SIG_IGN);
  for (const bool socket : {false, true}) {
    Pair pair = socket ? socket_pair() : pipe_pair();
    Wake wake;
    wake.wake();
    CHECK(wait_idle(pair.near.get(), wake).kind == WriteStep::Kind::woken);
    pair.far.reset();
    CHECK(wait_idle(pair.near.get(), wake).kind == WriteStep::Kind::closed);
    CHECK(write_or_wake(pair.near.get(), wake, "x").kind == WriteStep::Kind::closed);
  }
}

TEST_CASE("descriptors that a parent made non-blocking work too") {
  Pair pair = pipe_pair();
  Wake wake;
  std::array<char, 10> buffer{};
  for (const Fd* fd : {&pair.near, &pair.far}) ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  CHECK(write_or_wake(pair.near.get(), wake, "ab").bytes == 2);
  CHECK(read_or_wake(pair.far.get(), wake, buffer).bytes == 2);
}

TEST_CASE("a closed descriptor is a failure, not a busy loop") {
  Wake wake;
  std::array<char, 10> buffer{};
  CHECK(read_or_wake(999, wake, buffer).kind == ReadStep::Kind::failed);
  CHECK(write_or_wake(999, wake, "x").kind == WriteStep::Kind::failed);
}

TEST_CASE("claiming moves the protocol aside: stray prints go to standard error") {
  const Scratch scratch;
  const std::string out = scratch / "out";
  const std::string err = scratch / "err";
  std::cout.flush();  // or the child writes doctest's pending text a second time
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::close(0);  // as some parents do
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    harden_process();
    const auto protocol = claim_protocol_output();
    if (!protocol || protocol->get() <= 2) ::_exit(1);
    if ((::fcntl(protocol->get(), F_GETFD) & FD_CLOEXEC) == 0) ::_exit(2);
    if (::prctl(PR_GET_DUMPABLE) != 0) ::_exit(3);
    if (::fcntl(0, F_GETFD) < 0) ::_exit(4);
    if (::write(1, "stray", 5) != 5 || ::write(protocol->get(), "frame", 5) != 5) ::_exit(5);
    int broken[2];
    if (::pipe(broken) != 0) ::_exit(6);
    ::close(broken[0]);
    if (::write(broken[1], "x", 1) != -1 || errno != EPIPE) ::_exit(7);
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  CHECK(get(out) == "frame");
  CHECK(get(err) == "stray");
}
