#include "platform/tree_kill.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace agentd::platform {
namespace {

using namespace std::chrono_literals;

constexpr auto kGrace = 2s;    // from TERM to KILL
constexpr auto kGiveUp = 3s;   // from TERM to the end
constexpr auto kPause = 50ms;  // at most, between two looks at the process table

}  // namespace

TreeKill::TreeKill(asio::io_context& context, CallTrees& trees, std::shared_ptr<CallTree> tree,
                   std::function<void(std::vector<ProcessInfo>)> done)
    : trees_(trees), tree_(std::move(tree)), done_(std::move(done)), timer_(context) {}

void TreeKill::start() {
  started_ = std::chrono::steady_clock::now();
  const auto members = trees_.survivors(*tree_);
  signal_tree(*tree_, members, SIGTERM);
  signal_tree(*tree_, members, SIGCONT);  // a stopped process does not notice TERM
  if (members.empty()) {
    finish({});
  } else {
    look_later();
  }
}

void TreeKill::look() {
  if (!done_ || !started_) return;
  const auto members = trees_.survivors(*tree_);
  if (members.empty()) return finish({});
  const auto passed = std::chrono::steady_clock::now() - *started_;
  if (passed >= kGiveUp) return finish(members);
  // Again at every look: a tree that forks faster than we read may have new members.
  if (passed >= kGrace) signal_tree(*tree_, members, SIGKILL);
  look_later();
}

void TreeKill::look_later() {
  timer_.expires_after(pause_);
  pause_ = std::min<std::chrono::milliseconds>(2 * pause_, kPause);
  timer_.async_wait([self = shared_from_this()](const std::error_code& error) {
    if (!error) self->look();
  });
}

void TreeKill::finish(std::vector<ProcessInfo> unkillable) {
  timer_.cancel();
  std::exchange(done_, nullptr)(std::move(unkillable));
}

}  // namespace agentd::platform
