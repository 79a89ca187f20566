// SessionEnd: what is done for sessions when they end, which is when agentd leaves: their
// SessionEnd hooks run, and what their commands left in the background is killed. One for a
// process. Made and destroyed by the thread that owns the sessions; the work is done on threads of
// its own, so that this one still hears a signal.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/hook_context.h"
#include "base/clock.h"
#include "hooks/runner.h"
#include "platform/commands.h"

namespace agentd::server {

/// All hooks together; then what still runs is killed, which takes 2 s at most: 5 s in all.
inline constexpr std::chrono::seconds kSessionEndHooks{3};

class SessionEnd {
 public:
  struct Told {
    /// Each hook that ran.
    std::function<void(const std::string& session_id, hooks::HookRecord record)> hook;
    /// After all of it, once.
    std::function<void()> done;
  };

  /// Begins. `contexts` is one for each session that had a run; without any, `done` comes at once.
  /// What is told comes on another thread, and must only post. `clock` and `commands` outlive this.
  SessionEnd(std::vector<agent::HookContext> contexts, Clock& clock, platform::Commands& commands,
             Told told);
  /// Kills the hooks that still run and waits for them.
  ~SessionEnd();
  SessionEnd(const SessionEnd&) = delete;
  SessionEnd& operator=(const SessionEnd&) = delete;

  /// Nothing more is waited for: the hooks that run are killed, others do not begin. Any thread.
  void hurry() { stop_.request_stop(); }

 private:
  void run_hooks(const agent::HookContext& context);

  const std::vector<agent::HookContext> contexts_;
  platform::Commands& commands_;
  const Told told_;
  std::stop_source stop_;
  std::unique_ptr<Timer> deadline_;
  std::thread thread_;
};

}  // namespace agentd::server
