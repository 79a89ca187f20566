// The runner: the hooks of one event as processes, side by side, each with the event on its
// standard input. Blocks until all have ended: for a job's thread.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hooks/hook_set.h"
#include "hooks/merge.h"
#include "platform/commands.h"

namespace agentd::hooks {

/// What is told of one hook that ran.
struct HookRecord {
  std::string command;
  std::string origin;  // its settings file
  Event event = Event::stop;
  std::chrono::milliseconds duration{0};
  std::optional<int> exit_code;  // absent if it did not exit by itself
  HookOutcome outcome = HookOutcome::success;
  std::string message;  // for people: its words, its objection, or what is broken; may be empty
};

/// A hook's answer has members that mean nothing here.
struct IgnoredAnswer {
  std::string hook;  // the same for every run of one hook, for no two hooks
  std::string text;  // for people: whose answer, and which members
};

struct HookOutcomes {
  std::vector<HookRecord> records;  // in the order of the hooks; empty if none matched
  MergedVerdict merged;
  std::vector<IgnoredAnswer> ignored;  // of every run: whoever tells people does it once for a hook
};

/// Runs what `set` has for `input`, at most 16 at once, in `bash -c` (a hook with `args`: its
/// program itself), in the session's cwd, with CLAUDE_PROJECT_DIR and AGENTD_PROJECT_DIR. A hook
/// that times out or writes more than 16 MB is killed with everything it started; all are when
/// `stop` is requested. What a hook left running with `&` belongs to the session.
HookOutcomes run(const HookSet& set, const HookInput& input, platform::Commands& commands,
                 std::stop_token stop);

}  // namespace agentd::hooks
