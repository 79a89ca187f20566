#include "tools/shell_cwd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace agentd::tools {
namespace {

// The command travels as an argument and through eval, so that a syntax error in it names its own
// line and shows none of ours. `set +ex` because the trap must neither be traced nor fail the
// shell; `>|` because the command may have set noclobber.
constexpr const char* kTrapBegin = "trap '{ set +ex; builtin pwd -P >| ";
constexpr const char* kTrapEnd = "; } 2>/dev/null' EXIT; ";
constexpr const char* kRun = "agentd_command=$1; shift; eval \"$agentd_command\"";

bool plain(const std::string& path) {
  return path.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") ==
         std::string::npos;
}

std::string temporary_directory() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named == '/' && plain(named) ? named : "/tmp";
}

}  // namespace

ShellCwd::ShellCwd() {
  std::string path = temporary_directory() + "/agentd-cwd-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return;
  ::close(fd);
  path_ = std::move(path);
}

ShellCwd::~ShellCwd() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

std::vector<std::string> ShellCwd::argv(const std::string& command) const {
  const std::string trap = path_.empty() ? "" : kTrapBegin + path_ + kTrapEnd;
  return {"bash", "-c", trap + kRun, "bash", command};
}

std::optional<std::string> ShellCwd::read() const {
  if (path_.empty()) return std::nullopt;
  std::ifstream file(path_, std::ios::binary);
  std::string cwd{std::istreambuf_iterator<char>(file), {}};
  if (!cwd.empty() && cwd.back() == '\n') cwd.pop_back();  // a name may hold more of them
  if (cwd.empty() || cwd.front() != '/') return std::nullopt;
  return cwd;
}

}  // namespace agentd::tools
