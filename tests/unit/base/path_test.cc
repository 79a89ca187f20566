#include "base/path.h"

#include <doctest/doctest.h>

using agentd::path_inside;

TEST_CASE("inside compares by component") {
  CHECK(path_inside("/ws", "/ws"));
  CHECK(path_inside("/ws/a", "/ws"));
  CHECK_FALSE(path_inside("/ws-evil", "/ws"));
  CHECK_FALSE(path_inside("/w", "/ws"));
  CHECK_FALSE(path_inside("/", "/ws"));
  CHECK(path_inside("/anything", "/"));
  CHECK(path_inside("/", "/"));
  CHECK_FALSE(path_inside("", "/"));
  CHECK_FALSE(path_inside("/ws", ""));
}
