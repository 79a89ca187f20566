// TreeKill: ends a command's processes. TERM to all; after 2 s KILL to whoever is left; 1 s later
// it gives up and names them. io thread; shared, as its timer refers to it.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "platform/call_tree.h"

namespace agentd::platform {

class TreeKill : public std::enable_shared_from_this<TreeKill> {
 public:
  /// `done` is called once, with those that could not be killed.
  TreeKill(asio::io_context& context, CallTrees& trees, std::shared_ptr<CallTree> tree,
           std::function<void(std::vector<ProcessInfo>)> done);

  void start();
  /// A process of the tree has ended: looks at once whether it was the last. Before start() this
  /// does nothing: that looks itself.
  void look();

 private:
  void look_later();
  void finish(std::vector<ProcessInfo> unkillable);

  CallTrees& trees_;
  std::shared_ptr<CallTree> tree_;
  std::function<void(std::vector<ProcessInfo>)> done_;
  asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> started_;
  std::chrono::milliseconds pause_{1};
};

}  // namespace agentd::platform
