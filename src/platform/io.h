// Io: the io thread. One asio io_context; children are spawned and reaped here only, their pipes,
// timers and signals are watched here. Nothing on it may block. At most one Io at a time in a
// process (it reaps every child), made by the main thread before there are others (it blocks
// SIGCHLD for them); making it ignores SIGPIPE and turns the process into a subreaper.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "platform/commands.h"

namespace agentd::platform {

class Io {
 public:
  Io();   // starts the thread
  ~Io();  // kills all children, then joins the thread
  Io(const Io&) = delete;
  Io& operator=(const Io&) = delete;

  /// Runs `task` on the io thread, soon. Any thread.
  void post(std::function<void()> task);

  Clock& clock();        // steady timers of this context
  Commands& commands();  // children of this context

  /// Whole outputs of commands are kept in `directory` from now on (output_files.h).
  void keep_outputs_in(std::string directory);

  /// Calls `handler` on the io thread for each of these signals from now on.
  void on_signal(std::vector<int> signals, std::function<void(int)> handler);

  /// Calls `gone` once on the io thread when process `pid` no longer exists (pidfd).
  void watch_process(int pid, std::function<void()> gone);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace agentd::platform
