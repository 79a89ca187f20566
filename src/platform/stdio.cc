#include "platform/stdio.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "platform/errno_error.h"

namespace agentd::platform {
namespace {

struct Readiness {
  bool woken = false;
  short events = 0;
  int error = 0;
};

// Blocks until `fd` has one of `wanted` (or an error state), or the wake.
Readiness wait_for(int fd, short wanted, Wake& wake) {
  std::array<pollfd, 2> polled{pollfd{fd, wanted, 0}, pollfd{wake.fd(), POLLIN, 0}};
  while (true) {
    if (::poll(polled.data(), polled.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return {false, 0, errno};
    }
    if (polled[1].revents != 0) {
      wake.clear();
      return {true, 0, 0};
    }
    if ((polled[0].revents & POLLNVAL) != 0) return {false, 0, EBADF};
    if (polled[0].revents != 0) return {false, polled[0].revents, 0};
  }
}

// A parent that shares the descriptor may have made it non-blocking: then poll's promise can be
// taken by somebody else, and we wait again.
bool try_again(int error) {
  return error == EINTR || error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

void harden_process() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) {
      // The lowest free number is `fd`, as all below it are open.
      [[maybe_unused]] const int opened = ::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

Result<Fd> claim_protocol_output() {
  Fd protocol(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!protocol.valid()) return errno_error("duplicate", "standard output", errno);
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return errno_error("redirect", "standard output", errno);
  }
  return protocol;
}

ReadStep read_or_wake(int fd, Wake& wake, std::span<char> buffer) {
  while (true) {
    const Readiness ready = wait_for(fd, POLLIN, wake);
    if (ready.woken) return {ReadStep::Kind::woken, 0, 0};
    if (ready.error != 0) return {ReadStep::Kind::failed, 0, ready.error};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) return {ReadStep::Kind::data, static_cast<std::size_t>(got), 0};
    if (got == 0) return {ReadStep::Kind::end, 0, 0};
    if (try_again(errno)) continue;
    // A socket whose peer died: nothing more will come, and that is an end like any other.
    if (errno == ECONNRESET) return {ReadStep::Kind::end, 0, 0};
    return {ReadStep::Kind::failed, 0, errno};
  }
}

WriteStep write_or_wake(int fd, Wake& wake, std::string_view text) {
  while (true) {
    const Readiness ready = wait_for(fd, POLLOUT, wake);
    if (ready.woken) return {WriteStep::Kind::woken, 0, 0};
    if (ready.error != 0) return {WriteStep::Kind::failed, 0, ready.error};
    const ssize_t written = ::write(fd, text.data(), std::min(text.size(), kWriteAtOnce));
    if (written >= 0) return {WriteStep::Kind::wrote, static_cast<std::size_t>(written), 0};
    if (try_again(errno)) continue;
    if (errno == EPIPE || errno == ECONNRESET) return {WriteStep::Kind::closed, 0, 0};
    return {WriteStep::Kind::failed, 0, errno};
  }
}

bool can_write_if_room(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

std::size_t write_if_room(int fd, std::string_view text) {
  text = text.substr(0, kWriteAtOnce);
  const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != ENOTSOCK) return 0;
  pollfd polled{fd, POLLOUT, 0};
  if (::poll(&polled, 1, 0) != 1 || polled.revents != POLLOUT) return 0;
  const ssize_t written = ::write(fd, text.data(), text.size());
  return written > 0 ? static_cast<std::size_t>(written) : 0;
}

WriteStep wait_idle(int fd, Wake& wake) {
  const Readiness ready = wait_for(fd, 0, wake);
  if (ready.woken) return {WriteStep::Kind::woken, 0, 0};
  if (ready.error != 0) return {WriteStep::Kind::failed, 0, ready.error};
  return {WriteStep::Kind::closed, 0, 0};
}

}  // namespace agentd::platform
