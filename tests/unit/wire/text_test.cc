// JSON text: escaping against the library's own reader, numbers, layout.
#include "wire/text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace agentd;
using wire::Json;

namespace {

std::string as_string(std::string_view text) {
  std::string out;
  wire::append_string(out, text);
  return out;
}

std::string as_double(double number) {
  std::string out;
  wire::append_double(out, number);
  return out;
}

}  // namespace

TEST_CASE("strings are escaped as JSON wants it") {
  CHECK(as_string("") == "\"\"");
  CHECK(as_string("plain text, long enough for eight at a time") ==
        "\"plain text, long enough for eight at a time\"");
  CHECK(as_string("a\"b\\c/d") == "\"a\\\"b\\\\c/d\"");
  CHECK(as_string("\b\f\n\r\t") == "\"\\b\\f\\n\\r\\t\"");
  CHECK(as_string(std::string_view("\0\x01\x1f\x7f", 4)) == "\"\\u0000\\u0001\\u001f\x7f\"");
  CHECK(as_string("标题 – 😀") == "\"标题 – 😀\"");
}

TEST_CASE("ill-formed UTF-8 becomes U+FFFD, what is around it stays") {
  CHECK(as_string("a\xff") == "\"a\xEF\xBF\xBD\"");
  CHECK(as_string("\xE6\xA0") == "\"\xEF\xBF\xBD\"");
  CHECK(as_string("\xE6\xA0\"x") == "\"\xEF\xBF\xBD\\\"x\"");
  CHECK(as_string("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
  CHECK(as_string("12345678\xC0\xAF标") == "\"12345678\xEF\xBF\xBD\xEF\xBF\xBD标\"");
}

TEST_CASE("every byte at every offset in a word reads back") {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t offset = 0; offset < 18; ++offset) {
      std::string text(18, 'x');
      text[offset] = static_cast<char>(byte);
      REQUIRE(Json::parse(as_string(text)).get<std::string>() == text);
    }
  }
}

TEST_CASE("pieces of one string can be added one by one") {
  std::string out = "\"";
  wire::append_escaped(out, "one\n");
  wire::append_escaped(out, "标\"");
  out += '"';
  CHECK(out == "\"one\\n标\\\"\"");
}

TEST_CASE("numbers") {
  std::string out;
  wire::append_int(out, std::numeric_limits<std::int64_t>::min());
  out += ' ';
  wire::append_int(out, std::numeric_limits<std::int64_t>::max());
  CHECK(out == "-9223372036854775808 9223372036854775807");
  CHECK(as_double(0) == "0.0");
  CHECK(as_double(5) == "5.0");
  CHECK(as_double(0.1) == "0.1");
  CHECK(as_double(-2.5e-7) == "-2.5e-07");
  CHECK(as_double(1e300) == "1e+300");
  CHECK(as_double(std::nan("")) == "null");
  CHECK(as_double(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("any JSON value reads back the same") {
  const char* texts[] = {
      R"({"a":[1,-2,3.5,true,false,null,{"b":{}},[]],"c d":"\u0000\u001f\"\\标"})",
      R"([18446744073709551615,-9223372036854775808,1e-5])", R"("only a string")", "null"};
  for (const char* text : texts) {
    const Json value = Json::parse(text);
    std::string out;
    wire::append_json(out, value);
    CHECK(Json::parse(out) == value);
    CHECK(out.find_first_of("\n\t") == std::string::npos);
  }
}

TEST_CASE("a string with ill-formed bytes inside a value is repaired, where dump() throws") {
  std::string out;
  wire::append_json(out, Json{{"k", "a\xff"}});
  CHECK(out == "{\"k\":\"a\xEF\xBF\xBD\"}");
}

TEST_CASE("indented keeps the order and what strings hold") {
  CHECK(wire::indented(R"({"b":[1,{"a":"x: {,} \" y"}],"e":{},"f":[]})") ==
        "{\n  \"b\": [\n    1,\n    {\n      \"a\": \"x: {,} \\\" y\"\n    }\n  ],\n"
        "  \"e\": {},\n  \"f\": []\n}");
  const std::string once = wire::indented(R"([{"a":1},"\\"])");
  CHECK(wire::indented(once) == once);
}
