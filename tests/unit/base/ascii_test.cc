// White space and the case of ASCII letters; what is not ASCII stays as it is.
#include "base/ascii.h"

#include <doctest/doctest.h>

using namespace agentd;

TEST_CASE("white space around a text") {
  CHECK(ascii::trimmed(" \t\r\n\v\fa b \n") == "a b");
  CHECK(ascii::trimmed(" \n").empty());
  CHECK(ascii::trimmed("\u00A0a") == "\u00A0a");
  CHECK(ascii::blank(""));
  CHECK(ascii::blank(" \t\r\n\v\f"));
  CHECK_FALSE(ascii::blank(" x "));
}

TEST_CASE("case of ASCII letters aside") {
  CHECK(ascii::lowered('A') == 'a');
  CHECK(ascii::lowered('[') == '[');
  CHECK(ascii::lowered("AZ\u00C4@[") == "az\u00C4@[");
  CHECK(ascii::find("an Image", "IMAGE") == 3);
  CHECK(ascii::find("a", "") == 0);
  CHECK(ascii::find("", "") == 0);
  CHECK(ascii::find("image", "images") == std::string_view::npos);
  CHECK(ascii::contains("Could NOT process", "not"));
}
