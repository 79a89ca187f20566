// The end of a command's processes, where one that ends by itself races with the kill.
#include "platform/tree_kill.h"

#include <doctest/doctest.h>

using namespace agentd::platform;

TEST_CASE("a command that ends between the decision to kill it and the kill is told of once") {
  asio::io_context context;
  Children children(context);
  CallTrees trees(children);
  int told = 0;
  const auto kill = std::make_shared<TreeKill>(
      context, trees, trees.open("mark", "session"),
      [&](const std::vector<ProcessInfo>& unkillable) { told += unkillable.empty() ? 1 : 100; });
  kill->look();
  CHECK(told == 0);
  kill->start();
  CHECK(told == 1);
  kill->look();
  CHECK(told == 1);
}
