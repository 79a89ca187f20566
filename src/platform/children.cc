#include "platform/children.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <csignal>

#include "platform/errno_error.h"

namespace agentd::platform {

Children::Children(asio::io_context& context) : context_(context) {}

Result<int> Children::start(const ProgramStart& start, std::function<void(int)> exited) {
  auto pid = start_program(start);
  if (!pid) return pid;
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
  if (pidfd < 0) {
    const int error = errno;
    ::kill(*pid, SIGKILL);
    while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return errno_error("watch the process of", start.argv.front(), error);
  }
  auto child = std::make_unique<Child>(context_, pidfd);
  child->exited = std::move(exited);
  child->watch.async_wait(asio::posix::stream_descriptor::wait_read,
                          [this, number = *pid](const std::error_code& error) {
                            if (!error) collect(number);
                          });
  children_.emplace(*pid, std::move(child));
  return pid;
}

void Children::collect(int pid) {
  const auto found = children_.find(pid);
  if (found == children_.end()) return;  // reap() was faster
  int status = 0;
  const int reaped = ::waitpid(pid, &status, WNOHANG);
  if (reaped == 0 || (reaped < 0 && errno == EINTR)) return;
  // ECHILD: somebody else in this process waited for it; it is gone all the same.
  auto exited = std::move(found->second->exited);
  children_.erase(found);
  // Not called from here: reap() may be running inside the one who gets it.
  asio::post(context_, [exited = std::move(exited), status] { exited(status); });
}

void Children::reap() {
  const int own_session = ::getsid(0);
  while (true) {
    siginfo_t dead{};
    if (::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0 || dead.si_pid == 0) return;
    if (running(dead.si_pid)) {
      collect(dead.si_pid);
    } else if (::getsid(dead.si_pid) == own_session) {
      // All we start, and so all we inherit, lives in sessions of its own: this one was started
      // by other code in this process, which waits for it itself.
      return;
    } else {
      ::waitpid(dead.si_pid, nullptr, WNOHANG);
    }
  }
}

bool Children::none_left() {
  reap();
  siginfo_t nobody{};
  return ::waitid(P_ALL, 0, &nobody, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

std::vector<ProcessInfo> Children::orphans(const std::vector<ProcessInfo>& all) const {
  const int self = ::getpid();
  const int own_session = ::getsid(0);
  std::vector<ProcessInfo> found;
  for (const ProcessInfo& process : all) {
    if (process.parent == self && !process.dead() && process.session != own_session &&
        !running(process.pid)) {
      found.push_back(process);
    }
  }
  return found;
}

}  // namespace agentd::platform
