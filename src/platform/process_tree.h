// The process table as /proc tells it: who descends from whom, and who carries a call's mark.
// Reads only; a snapshot, as processes come and go meanwhile. About 10 us a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentd::platform {

struct ProcessInfo {
  int pid = 0;
  int parent = 0;
  int group = 0;
  int session = 0;
  char state = '?';  // R, S, D, T, Z...
  int threads = 0;
  std::uint64_t start_time = 0;  // ticks since boot; with pid names one process for ever

  /// A first thread that has ended shows as a zombie while others go on.
  bool dead() const { return (state == 'Z' || state == 'X') && threads <= 1; }
  bool same(const ProcessInfo& other) const {
    return pid == other.pid && start_time == other.start_time;
  }
};

std::optional<ProcessInfo> read_process(int pid);
std::vector<ProcessInfo> read_processes();

/// All that descend from `roots` (themselves included, where they are in `all`).
std::vector<ProcessInfo> descendants(const std::vector<ProcessInfo>& all,
                                     const std::vector<int>& roots);

/// The environment variable that names the call a process belongs to. Inherited by everything a
/// command starts, unless it clears its environment.
inline constexpr std::string_view kCallMark = "AGENTD_CALL";

/// The value of kCallMark in the environment `pid` was started with, if any.
std::optional<std::string> call_mark(int pid);

/// "pid 123 (sleep 300)", valid UTF-8, cut to a line.
std::string describe_process(int pid);

/// Sends `signal` to exactly this process: not to another that took its number since.
void send_signal(const ProcessInfo& process, int signal);

}  // namespace agentd::platform
