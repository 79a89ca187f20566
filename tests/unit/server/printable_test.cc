// Text that is safe on a terminal.
#include "server/printable.h"

#include <doctest/doctest.h>

using agentd::server::printable;

TEST_CASE("plain text stays as it is, in any script") {
  const std::string text = "plain\ttext\n你好, \u05e9\u05dc\u05d5\u05dd 😀 é";
  CHECK(printable(text) == text);
  CHECK(printable("").empty());
}

TEST_CASE("what would move the cursor is shown instead") {
  CHECK(printable("\x1b[2Jrm -rf /\r") == "\\x1b[2Jrm -rf /\\x0d");
  CHECK(printable(std::string("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(printable("\u009b31m") == "\\x9b31m");
  CHECK(printable("\u202eabc\u2066") == "\\u202eabc\\u2066");
  CHECK(printable("\u2014\u2029") == "\u2014\u2029");
}
