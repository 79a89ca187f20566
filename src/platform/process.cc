#include "platform/process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>

#include "platform/errno_error.h"
#include "platform/fd.h"
#include "platform/links.h"

// glibc's clone(2) by its other exported name. ThreadSanitizer replaces `clone` by a version made
// for fork, whose child part would overwrite the state of the parent it shares memory with.
extern "C" int __clone(int (*child)(void*), void* stack, int flags, void* argument, ...);

// The child shares our memory and its thread state with the runtime of a sanitizer: neither the
// instrumentation nor intercepted functions may run in it.
#define AGENTD_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

namespace agentd::platform {
namespace {

enum class Step { none, prepare, chdir, exec };

// What the child reads, and where it reports. Plain pointers into the parent's memory.
struct ChildPlan {
  const char* program;
  char* const* argv;
  char* const* environment;
  int cwd;
  int stdio[3];
  long parent;
  volatile Step failed = Step::none;
  volatile int error = 0;
};

constexpr std::size_t kSignalSetBytes = 8;  // the kernel's sigset_t, not glibc's
constexpr int kSignals = 64;

// In the child everything is a raw system call: async-signal-safe by nature, and unknown to
// sanitizers. It ends in exec or exit.
AGENTD_IN_CHILD long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  return ::syscall(number, a, b, c, d, e);
}

AGENTD_IN_CHILD void fail(ChildPlan* plan, Step step) {
  plan->error = errno;
  plan->failed = step;
  call(SYS_exit_group, 127);
}

AGENTD_IN_CHILD void reset_signals() {
  // All handlers to default while all signals are still blocked: none of ours may ever run here.
  // Four zero words are the kernel's sigaction with SIG_DFL; KILL and STOP refuse, rightly.
  const unsigned long default_action[4] = {0, 0, 0, 0};
  for (int signal = 1; signal <= kSignals; ++signal) {
    call(SYS_rt_sigaction, signal, reinterpret_cast<long>(default_action), 0, kSignalSetBytes);
  }
  const unsigned long none = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&none), 0, kSignalSetBytes);
}

AGENTD_IN_CHILD int child_main(void* argument) {
  auto* plan = static_cast<ChildPlan*>(argument);
  if (call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL) != 0) fail(plan, Step::prepare);
  // The parent may have died before the signal was set.
  if (call(SYS_getppid) != plan->parent) call(SYS_exit_group, 127);
  if (call(SYS_setsid) < 0) fail(plan, Step::prepare);
  // Before the standard descriptors are replaced: it may be one of them.
  if (call(SYS_fchdir, plan->cwd) != 0) fail(plan, Step::chdir);
  for (int target = 0; target < 3; ++target) {
    if (call(SYS_dup3, plan->stdio[target], target, 0) < 0) fail(plan, Step::prepare);
  }
#ifdef SYS_close_range
  // Fails on kernels before 5.9; ours are all close-on-exec, this is for what we inherited.
  call(SYS_close_range, 3, 0xFFFFFFFFL, 0);
#endif
  reset_signals();
  call(SYS_execve, reinterpret_cast<long>(plan->program), reinterpret_cast<long>(plan->argv),
       reinterpret_cast<long>(plan->environment));
  fail(plan, Step::exec);
  return 127;
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool executable(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

// As execvp would, but here, where allocating is allowed, and without the relative and empty
// entries of PATH: those would run whatever a workspace calls `rg` or `bash`.
std::optional<std::string> find_program(const ProgramStart& start) {
  const std::string& name = start.argv.front();
  if (name.find('/') != std::string::npos) return name;
  std::size_t begin = 0;
  while (begin <= start.search_path.size()) {
    const std::size_t end = std::min(start.search_path.find(':', begin), start.search_path.size());
    const std::string directory = start.search_path.substr(begin, end - begin);
    std::string candidate = directory + '/' + name;
    if (directory.starts_with('/') && executable(candidate)) return candidate;
    begin = end + 1;
  }
  return std::nullopt;
}

bool holds_nul(const std::vector<std::string>& strings) {
  return std::any_of(strings.begin(), strings.end(), [](const std::string& string) {
    return string.find('\0') != std::string::npos;
  });
}

Result<void> check(const ProgramStart& start) {
  if (start.argv.empty() || start.argv.front().empty()) {
    return make_error(Code::invalid_input, "no program to start");
  }
  if (holds_nul(start.argv) || holds_nul(start.environment) ||
      start.cwd.find('\0') != std::string::npos) {
    return make_error(Code::invalid_input, "a command cannot contain a NUL byte",
                      start.argv.front());
  }
  return {};
}

Error why(const ProgramStart& start, Step step, int error) {
  switch (step) {
    case Step::chdir:
      return errno_error("enter the directory", start.cwd, error);
    case Step::exec:
      return errno_error("run", start.argv.front(), error);
    case Step::prepare:
    case Step::none:
      break;
  }
  return errno_error("prepare the process of", start.argv.front(), error);
}

}  // namespace

Result<int> start_program(const ProgramStart& start) {
  if (auto checked = check(start); !checked) return std::move(checked.error());
  const auto program = find_program(start);
  if (!program) {
    return make_error(Code::not_found,
                      "cannot run " + start.argv.front() +
                          ": there is no such program in PATH; install it or give its full path",
                      start.argv.front());
  }
  const Fd cwd(open_path(start.cwd, O_PATH | O_DIRECTORY, start.cwd_links));
  if (!cwd.valid()) return path_error("enter the directory", start.cwd, errno, start.cwd_links);
  const auto argv = pointers_to(start.argv);
  const auto environment = pointers_to(start.environment);
  ChildPlan plan{.program = program->c_str(),
                 .argv = argv.data(),
                 .environment = environment.data(),
                 .cwd = cwd.get(),
                 .stdio = {start.stdio[0], start.stdio[1], start.stdio[2]},
                 .parent = ::getpid()};

  constexpr std::size_t kStackBytes = 64 * 1024;
  const auto stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // CLONE_VFORK: this thread sleeps until the child has executed or exited, so everything on our
  // stack outlives its use there.
  const int pid =
      ::__clone(child_main, stack.get() + kStackBytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  const int clone_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);

  if (pid < 0) return errno_error("start a process for", start.argv.front(), clone_error);
  if (plan.failed != Step::none) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return why(start, plan.failed, plan.error);
  }
  return pid;
}

}  // namespace agentd::platform
