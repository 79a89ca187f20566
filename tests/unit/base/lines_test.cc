#include "base/lines.h"

#include <doctest/doctest.h>

using agentd::split_lines;

TEST_CASE("a final line end opens no further line") {
  CHECK(split_lines("a\n\nb").size() == 3);
  CHECK(split_lines("a\n").size() == 1);
  CHECK(split_lines("").empty());
  CHECK(split_lines("a\r\nb").front() == "a\r");
}
