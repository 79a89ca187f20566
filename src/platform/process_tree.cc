#include "platform/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <unordered_set>

#include "base/utf8.h"
#include "platform/fd.h"

namespace agentd::platform {
namespace {

std::string proc_path(int pid, std::string_view file) {
  return "/proc/" + std::to_string(pid) + '/' + std::string(file);
}

// A whole file below /proc, up to `limit` bytes; empty if it cannot be read.
std::string slurp(const std::string& path, std::size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  while (fd.valid() && content.size() < limit) {
    const std::size_t before = content.size();
    content.resize(std::min(limit, before + 4096));
    const ssize_t got = ::read(fd.get(), content.data() + before, content.size() - before);
    content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) break;
  }
  return content;
}

// The fields of proc(5)'s stat after the command name, which may itself hold spaces and brackets:
// hence from the last bracket. [0] is field 3.
std::vector<std::string_view> stat_fields(std::string_view stat) {
  std::vector<std::string_view> fields;
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string_view::npos) return fields;
  std::size_t at = bracket + 2;
  while (at < stat.size() && fields.size() < 20) {
    const std::size_t end = std::min(stat.find(' ', at), stat.size());
    fields.push_back(stat.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

template <class Number>
Number number(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<ProcessInfo> read_process(int pid) {
  const std::string stat = slurp(proc_path(pid, "stat"), 4096);
  const auto fields = stat_fields(stat);
  if (fields.size() < 20) return std::nullopt;
  ProcessInfo process;
  process.pid = pid;
  process.state = fields[0].front();
  process.parent = number<int>(fields[1]);
  process.group = number<int>(fields[2]);
  process.session = number<int>(fields[3]);
  process.threads = number<int>(fields[17]);
  process.start_time = number<std::uint64_t>(fields[19]);
  return process;
}

std::vector<ProcessInfo> read_processes() {
  std::vector<ProcessInfo> processes;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return processes;
  while (const dirent* entry = ::readdir(directory)) {
    const int pid = number<int>(entry->d_name);
    if (pid <= 0) continue;
    if (auto process = read_process(pid)) processes.push_back(*process);
  }
  ::closedir(directory);
  return processes;
}

std::vector<ProcessInfo> descendants(const std::vector<ProcessInfo>& all,
                                     const std::vector<int>& roots) {
  std::unordered_set<int> inside(roots.begin(), roots.end());
  // /proc lists by number, and a child mostly has a higher one than its parent, but numbers wrap:
  // so until nothing is added.
  bool added = true;
  while (added) {
    added = false;
    for (const ProcessInfo& process : all) {
      if (inside.contains(process.parent) && inside.insert(process.pid).second) added = true;
    }
  }
  std::vector<ProcessInfo> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const ProcessInfo& process) { return inside.contains(process.pid); });
  return found;
}

std::optional<std::string> call_mark(int pid) {
  constexpr std::size_t kMostEnvironment = 1024 * 1024;
  const std::string environment = slurp(proc_path(pid, "environ"), kMostEnvironment);
  const std::string wanted = std::string(kCallMark) + '=';
  std::size_t at = 0;
  while (at < environment.size()) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    const std::string_view line = std::string_view(environment).substr(at, end - at);
    if (line.starts_with(wanted)) return std::string(line.substr(wanted.size()));
    at = end + 1;
  }
  return std::nullopt;
}

std::string describe_process(int pid) {
  constexpr std::size_t kMostWords = 200;
  std::string words = slurp(proc_path(pid, "cmdline"), 4096);
  while (!words.empty() && words.back() == '\0') words.pop_back();
  for (char& byte : words) {
    if (static_cast<unsigned char>(byte) < 0x20) byte = ' ';
  }
  if (words.empty()) {
    words = slurp(proc_path(pid, "comm"), 64);
    while (!words.empty() && words.back() == '\n') words.pop_back();
  }
  words = utf8::repaired(words);
  if (words.size() > kMostWords) words = std::string(utf8::head(words, kMostWords)) + "...";
  return "pid " + std::to_string(pid) + " (" + words + ")";
}

void send_signal(const ProcessInfo& process, int signal) {
  // The pidfd pins the number; only then is it sure whose it is.
  const Fd pinned(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  const auto now = read_process(process.pid);
  if (!now || !now->same(process)) return;
  if (pinned.valid()) {
    ::syscall(SYS_pidfd_send_signal, pinned.get(), signal, nullptr, 0);
  } else {
    ::kill(process.pid, signal);
  }
}

}  // namespace agentd::platform
