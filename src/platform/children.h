// Children: every process agentd started, and the orphans it inherits as their subreaper. They
// are started, watched (pidfd) and reaped here and nowhere else. io thread.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "platform/process.h"
#include "platform/process_tree.h"

namespace agentd::platform {

class Children {
 public:
  explicit Children(asio::io_context& context);

  /// Starts a program; `exited` is called once with its wait status, from the event loop.
  Result<int> start(const ProgramStart& start, std::function<void(int)> exited);

  /// True from start() until it has exited.
  bool running(int pid) const { return children_.contains(pid); }

  /// Reaps all that are dead, orphans too. Called when a child dies (SIGCHLD) and before a look
  /// at what is left.
  void reap();

  /// True if it is certain, without reading the process table, that no process is left that
  /// descends from us.
  bool none_left();

  /// The living orphans in `all`: direct children that were not started here.
  std::vector<ProcessInfo> orphans(const std::vector<ProcessInfo>& all) const;

 private:
  struct Child {
    Child(asio::io_context& context, int pidfd) : watch(context, pidfd) {}
    asio::posix::stream_descriptor watch;
    std::function<void(int)> exited;
  };

  void collect(int pid);

  asio::io_context& context_;
  std::unordered_map<int, std::unique_ptr<Child>> children_;
};

}  // namespace agentd::platform
