// Hostile text: what parse must take, refuse, and say.
#include "wire/parse.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace agentd;
using wire::Json;

namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string message_of(std::string_view text) {
  const Result<Json> parsed = wire::parse(text);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().code == Code::invalid_input);
  return parsed.error().message;
}

}  // namespace

TEST_CASE("depth 512 passes, 513 does not") {
  CHECK(wire::parse(nested(512)).has_value());
  CHECK(message_of(nested(513)) ==
        "not acceptable JSON: nested deeper than 512 levels at byte 512");
  CHECK(wire::parse("[[1]]", 2).has_value());
  CHECK_FALSE(wire::parse("[[[1]]]", 2).has_value());
  CHECK_FALSE(wire::parse(R"({"a":{"b":[]}})", 2).has_value());
}

TEST_CASE("depth counts what is open, not what strings hold or what is closed again") {
  CHECK(wire::parse("[" + std::string(R"("[[[[\"[[[\\",)") + "1]", 1).has_value());
  CHECK(wire::parse("[[1],[2],[3],{}]", 2).has_value());
}

TEST_CASE("a million brackets cost nothing but an error") {
  message_of(std::string(1'000'000, '['));
  message_of(std::string(1'000'000, ']'));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  message_of(objects);
}

TEST_CASE("errors say where, shortly") {
  CHECK(message_of("").rfind("not valid JSON: parse error at line 1, column 1", 0) == 0);
  CHECK(message_of("{\n\"a\":tru}").rfind("not valid JSON: parse error at line 2, column 8", 0) ==
        0);
  CHECK(message_of("{} {}").rfind("not valid JSON: parse error at line 1, column 4", 0) == 0);
  CHECK(message_of("\"" + std::string(5'000'000, 'x')).size() < 400);
  message_of("{\"a\":1,}");
  message_of("{'a':1}");
  message_of("NaN");
  message_of("[1 2]");
  message_of("\"\x01\"");
}

TEST_CASE("numbers that are too large are an error, not an abort") {
  CHECK(message_of("1e999").rfind("not valid JSON: number overflow", 0) == 0);
  message_of("[-1e400]");
  const auto big = wire::parse("123456789012345678901234567890");
  REQUIRE(big.has_value());
  CHECK(big->is_number_float());
}

TEST_CASE("of a key that stands twice the last wins") {
  const auto parsed = wire::parse(R"({"a":1,"b":2,"a":3})");
  REQUIRE(parsed.has_value());
  CHECK(*parsed == Json{{"a", 3}, {"b", 2}});
}

TEST_CASE("an escaped lone surrogate becomes U+FFFD, a pair stays") {
  const std::pair<const char*, const char*> cases[] = {
      {R"("\ud83d\ude00")", "😀"},
      {R"("a\ud83db")", "a\uFFFDb"},
      {R"("\ude00\ud83d")", "\uFFFD\uFFFD"},
      {R"("\ud83d\ud83d\ude00")", "\uFFFD😀"},
      {R"("\\ud83d")", "\\ud83d"},
      {R"("\ud83d\n")", "\uFFFD\n"},
      {R"("\uD83D")", "\uFFFD"},
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = wire::parse(text);
    REQUIRE(parsed.has_value());
    CHECK(parsed->get<std::string>() == expected);
  }
  CHECK_FALSE(wire::without_lone_surrogates(R"({"a":"\ud83d\ude00 \\ud83d"})").has_value());
  message_of(R"("\ud83)");
  message_of("\"\\ud83d");
}

TEST_CASE("bytes that are not UTF-8 are an error with a printable message") {
  const std::string message = message_of("{\"a\":\"\xff\xfe\"}");
  CHECK(message.rfind("not valid JSON: ", 0) == 0);
  CHECK(message.find('\xff') == std::string::npos);
  message_of("\"\xED\xA0\x80\"");
}

TEST_CASE("20 MB in one string and in many values") {
  const std::string big(20'000'000, 'x');
  const auto text = wire::parse("{\"a\":\"" + big + "\"}");
  REQUIRE(text.has_value());
  CHECK(text->at("a").get_ref<const std::string&>().size() == big.size());
  std::string list = "[0";
  for (int i = 0; i < 500'000; ++i) list += ",{}";
  list += "]";
  const auto values = wire::parse(list);
  REQUIRE(values.has_value());
  CHECK(values->size() == 500'001);
}

TEST_CASE("members are looked up without throwing") {
  const Json object =
      Json::parse(R"({"s":"x","n":7,"f":7.5,"b":true,"z":null,"u":18446744073709551615,"neg":-1})");
  CHECK(wire::string_member(object, "s") == "x");
  CHECK(wire::integer_member(object, "n") == 7);
  CHECK(wire::integer_member(object, "neg") == -1);
  CHECK(wire::boolean_member(object, "b") == true);
  CHECK_FALSE(wire::string_member(object, "n").has_value());
  CHECK_FALSE(wire::integer_member(object, "s").has_value());
  CHECK_FALSE(wire::integer_member(object, "f").has_value());
  CHECK_FALSE(wire::integer_member(object, "u").has_value());
  CHECK_FALSE(wire::boolean_member(object, "n").has_value());
  CHECK(wire::member(object, "z") == nullptr);
  CHECK(wire::member(object, "absent") == nullptr);
  CHECK(wire::member(Json::array(), "s") == nullptr);
  CHECK(wire::member(Json("s"), "s") == nullptr);
  CHECK(wire::member(object, "s")->is_string());
}
