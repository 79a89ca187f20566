#include "tools/shell_cwd.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/ids.h"

namespace agentd::tools {
namespace {

// The command travels as an argument and through eval, so that a syntax error in it names its own
// line and shows none of ours. `set +ex` because the trap must neither be traced nor fail the
// shell; `>|` because the command may have set noclobber.
constexpr const char* kTrapBegin =
    "trap '{ set +ex; [[ ${PWD-} == \"$agentd_cwd\" ]] || builtin pwd -P >| ";
constexpr const char* kTrapEnd = "; } 2>/dev/null' EXIT; agentd_cwd=$PWD; ";
constexpr const char* kRun = "agentd_command=$1; shift; eval \"$agentd_command\"";

bool plain(const std::string& path) {
  return path.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") ==
         std::string::npos;
}

std::string temporary_directory() {
  const char* named = std::getenv("TMPDIR");
  const bool usable =
      named != nullptr && *named == '/' && plain(named) && ::access(named, W_OK | X_OK) == 0;
  return usable ? named : "/tmp";
}

}  // namespace

ShellCwd::ShellCwd() {
  RandomIds ids;
  path_ = temporary_directory() + "/" + ids.next("agentd-cwd");
}

ShellCwd::~ShellCwd() {
  ::unlink(path_.c_str());
}

std::vector<std::string> ShellCwd::argv(const std::string& command) const {
  return {"bash", "-c", kTrapBegin + path_ + kTrapEnd + kRun, "bash", command};
}

std::vector<std::string> ShellCwd::without_wrapper(std::vector<std::string> processes) {
  for (std::string& process : processes) {
    const std::size_t at = process.find(kTrapBegin);
    if (at != std::string::npos) process = process.substr(0, at) + "a part of this command)";
  }
  return processes;
}

std::optional<std::string> ShellCwd::read() const {
  std::ifstream file(path_, std::ios::binary);
  std::string cwd{std::istreambuf_iterator<char>(file), {}};
  if (!cwd.empty() && cwd.back() == '\n') cwd.pop_back();  // a name may hold more of them
  if (cwd.empty() || cwd.front() != '/') return std::nullopt;
  return cwd;
}

}  // namespace agentd::tools
