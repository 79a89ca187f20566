#include "model/json_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace agentd::model;

TEST_CASE("find_member gives the bytes as they stand, top level only") {
  const std::string_view object =
      R"( {"a" : {"b":1,"c":"}"}, "b":"x\"y" ,"n":-1.50,"t":true , "l":[1,[2]]} )";
  CHECK(find_member(object, "a") == R"({"b":1,"c":"}"})");
  CHECK(find_member(object, "b") == R"("x\"y")");
  CHECK(find_member(object, "n") == "-1.50");
  CHECK(find_member(object, "t") == "true");
  CHECK(find_member(object, "l") == "[1,[2]]");
  CHECK_FALSE(find_member(object, "c"));
  CHECK_FALSE(find_member("{}", "a"));
  CHECK_FALSE(find_member("[1]", "a"));
}

TEST_CASE("elements of an array") {
  const std::vector<std::string_view> expected = {R"({"a":[1,2]})", R"("],")", "3"};
  CHECK(elements(R"([ {"a":[1,2]} , "],",3 ])") == expected);
  CHECK(elements("[ ]").empty());
  CHECK(elements("{}").empty());
}

TEST_CASE("set_member replaces or adds and leaves the rest alone") {
  std::string object = R"({"type":"x", "input":{} })";
  set_member(object, "input", R"({"q":1})");
  CHECK(object == R"({"type":"x", "input":{"q":1} })");
  set_member(object, "more", "2");
  CHECK(object == R"({"type":"x", "input":{"q":1} ,"more":2})");
  std::string empty = "{ }";
  set_member(empty, "a", "1");
  CHECK(empty == R"({ "a":1})");
}

TEST_CASE("read_string agrees with a JSON parser") {
  for (const std::string text :
       {R"(plain")", R"(")", R"(a\n\t\"\\\/\b\f\r")", R"(\u4f60\u00e9\ud83d\ude00\u0000")"}) {
    CAPTURE(text);
    std::string out;
    const auto rest = read_string(text, out);
    REQUIRE(rest);
    CHECK(rest->empty());
    CHECK(out == nlohmann::json::parse("\"" + text).get<std::string>());
  }
  std::string out;
  CHECK(read_string("ab\"rest", out) == "rest");
  out.clear();
  CHECK(read_string(R"(x\ud83dy")", out));
  CHECK(out == "x\xEF\xBF\xBDy");
  for (const std::string text :
       {"no end", "a\\", "a\\\"", "\\x\"", "\\u12\"", "\\u12g4\"", "a\nb\""}) {
    CAPTURE(text);
    std::string broken;
    CHECK_FALSE(read_string(text, broken));
  }
}
