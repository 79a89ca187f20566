// Decoding: every fault with its exact words, the two policies.
#include "wire/decode.h"

#include <doctest/doctest.h>

#include "sample.h"
#include "wire/parse.h"
#include "wire/tool_input.h"

using namespace agentd;
using wire::Json;
using wire::Policy;

namespace {

constexpr std::string_view kSmallest =
    R"({"prompt":"hi","stream":"stdout","count":1,"small":2,"ratio":1.5,"urgent":true})";

/// The smallest good message with `change` put over it.
Json changed(std::string_view change) {
  Json json = Json::parse(kSmallest);
  json.update(Json::parse(change));
  return json;
}

Error fault(std::string_view change) {
  const auto decoded = wire::decode<sample::Everything>(changed(change), "params");
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().code == Code::invalid_input);
  CHECK(decoded.error().message.rfind(decoded.error().where + ": ", 0) == 0);
  return decoded.error();
}

std::string tool_fault(std::string_view input) {
  const auto coerced = wire::coerce<sample::ToolInput>(Json::parse(input));
  REQUIRE_FALSE(coerced.has_value());
  return coerced.error().message;
}

std::string tool_input(std::string_view input) {
  const auto coerced = wire::coerce<sample::ToolInput>(Json::parse(input));
  REQUIRE(coerced.has_value());
  return coerced->dump();
}

}  // namespace

TEST_CASE("null counts as absent, unknown members are ignored") {
  const auto decoded = wire::decode<sample::Everything>(
      changed(R"({"attachments":null,"mode":null,"percent":null,"new":[1,2],"extra":null})"),
      "params");
  REQUIRE(decoded.has_value());
  CHECK_FALSE(decoded->attachments.has_value());
  CHECK_FALSE(decoded->mode.has_value());
  CHECK_FALSE(decoded->percent.has_value());
  CHECK_FALSE(decoded->extra.has_value());
  CHECK(decoded->count == 1);
}

TEST_CASE("each fault has its path, what was expected and what came") {
  struct Row {
    const char* change;
    const char* where;
    const char* message;
  };
  const Row rows[] = {
      {R"({"prompt":5})", "params.prompt",
       "params.prompt: expected a string or an array, got a number"},
      {R"({"prompt":null})", "params.prompt",
       "params.prompt: missing, expected a string or an array"},
      {R"({"prompt":[{"type":"text","text":"a"},"b"]})", "params.prompt[1]",
       "params.prompt[1]: expected an object, got a string"},
      {R"({"prompt":[{"type":"video"}]})", "params.prompt[0].type",
       R"(params.prompt[0].type: expected "text" or "image", got "video")"},
      {R"({"prompt":[{"text":"a"}]})", "params.prompt[0].type",
       R"(params.prompt[0].type: missing, expected "text" or "image")"},
      {R"({"prompt":[{"type":7}]})", "params.prompt[0].type",
       R"(params.prompt[0].type: expected "text" or "image", got a number)"},
      {R"({"prompt":[{"type":"text"}]})", "params.prompt[0].text",
       "params.prompt[0].text: missing, expected a string"},
      {R"({"prompt":[{"type":"image","data":[]}]})", "params.prompt[0].data",
       "params.prompt[0].data: expected a string, got an array"},
      {R"({"attachments":[{"path":"a"},{"path":3}]})", "params.attachments[1].path",
       "params.attachments[1].path: expected a string, got a number"},
      {R"({"attachments":{}})", "params.attachments",
       "params.attachments: expected an array, got an object"},
      {R"({"attachments":[{"path":"a\u0000b"}]})", "params.attachments[0].path",
       "params.attachments[0].path: must not contain a NUL character"},
      {R"({"paths":["a","\u0000"]})", "params.paths[1]",
       "params.paths[1]: must not contain a NUL character"},
      {R"({"attachments":[{"path":"a","line":0}]})", "params.attachments[0].line",
       "params.attachments[0].line: expected an integer of at least 1, got 0"},
      {R"({"mode":"yolo"})", "params.mode",
       R"(params.mode: expected one of "ask", "acceptEdits", "plan", got "yolo")"},
      {R"({"mode":true})", "params.mode",
       R"(params.mode: expected one of "ask", "acceptEdits", "plan", got a boolean)"},
      {R"({"stream":"STDOUT"})", "params.stream",
       R"(params.stream: expected "stdout" or "stderr", got "STDOUT")"},
      {R"({"count":"10"})", "params.count", "params.count: expected an integer, got a string"},
      {R"({"count":1.5})", "params.count", "params.count: expected an integer, got a number"},
      {R"({"count":9223372036854775808})", "params.count",
       "params.count: expected an integer, got a number"},
      {R"({"count":1e300})", "params.count", "params.count: expected an integer, got a number"},
      {R"({"small":2147483648})", "params.small",
       "params.small: expected an integer, got 2147483648"},
      {R"({"percent":101})", "params.percent",
       "params.percent: expected an integer from 0 to 100, got 101"},
      {R"({"percent":"x"})", "params.percent",
       "params.percent: expected an integer from 0 to 100, got a string"},
      {R"({"ratio":"1.5"})", "params.ratio", "params.ratio: expected a number, got a string"},
      {R"({"ratio":10.5})", "params.ratio",
       "params.ratio: expected a number of at most 10, got a number"},
      {R"({"urgent":1})", "params.urgent", "params.urgent: expected a boolean, got a number"},
      {R"({"urgent":"true"})", "params.urgent", "params.urgent: expected a boolean, got a string"},
      {R"({"settings":[]})", "params.settings",
       "params.settings: expected an object, got an array"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.change);
    const Error error = fault(row.change);
    CHECK(error.where == row.where);
    CHECK(error.message == row.message);
  }
}

TEST_CASE("the whole is of a wrong kind, or not there") {
  const auto number = wire::decode<sample::Text>(Json(5), "params");
  REQUIRE_FALSE(number.has_value());
  CHECK(number.error().message == "params: expected an object, got a number");
  const auto array = wire::decode<sample::Text>(Json::array(), "");
  REQUIRE_FALSE(array.has_value());
  CHECK(array.error().message == "input: expected an object, got an array");
  CHECK(array.error().where.empty());
  const auto nothing = wire::decode<sample::Text>(Json(), "params");
  REQUIRE_FALSE(nothing.has_value());
  CHECK(nothing.error().message == "params.text: missing, expected a string");
}

TEST_CASE("a wrong name is quoted, but never at full length") {
  Json json = Json::parse(kSmallest);
  json["mode"] = std::string(1'000'000, 'x');
  const auto decoded = wire::decode<sample::Everything>(json, "params");
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().message.size() < 250);
}

TEST_CASE("a whole number may be written as a float") {
  const auto decoded = wire::decode<sample::Everything>(changed(R"({"count":5.0})"), "params");
  REQUIRE(decoded.has_value());
  CHECK(decoded->count == 5);
}

TEST_CASE("the strict policy takes nothing apart") {
  const auto decoded =
      wire::decode<sample::Everything>(changed(R"({"paths":"[\"a\"]"})"), "params");
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().message == "params.paths: expected an array, got a string");
}

TEST_CASE("tool input of the declared types passes as it is") {
  CHECK(tool_input(R"({"pattern":"x","limit":10,"unknown":1})") ==
        R"({"limit":10,"pattern":"x","unknown":1})");
}

TEST_CASE("tool input is brought to its types where nothing is lost") {
  CHECK(tool_input(R"({"pattern":"x","limit":"10"})") == R"({"limit":10,"pattern":"x"})");
  CHECK(tool_input(R"({"pattern":"x","limit":"5","multiline":"true"})") ==
        R"({"limit":5,"multiline":true,"pattern":"x"})");
  CHECK(tool_input(R"({"pattern":"x","multiline":"false"})") ==
        R"({"multiline":false,"pattern":"x"})");
  CHECK(tool_input(R"({"pattern":"x","threshold":"0.5"})") == R"({"pattern":"x","threshold":0.5})");
  CHECK(tool_input(R"({"pattern":"x","paths":" [\"a\",\"b\"]"})") ==
        R"({"paths":["a","b"],"pattern":"x"})");
  CHECK(tool_input(R"({"pattern":"x","at":"{\"path\":\"p\",\"line\":\"3\"}"})") ==
        R"({"at":{"line":3,"path":"p"},"pattern":"x"})");
  CHECK(tool_input(R"({"pattern":404})") == R"({"pattern":"404"})");
  CHECK(tool_input(R"("{\"pattern\":\"x\"}")") == R"({"pattern":"x"})");
}

TEST_CASE("a string stays a string, whatever it looks like") {
  CHECK(tool_input(R"({"pattern":"[\"a\"]","limit":"10"})") ==
        R"({"limit":10,"pattern":"[\"a\"]"})");
  CHECK(tool_input(R"({"pattern":"{\"a\":1}","multiline":"true"})") ==
        R"({"multiline":true,"pattern":"{\"a\":1}"})");
  CHECK(tool_input(R"({"pattern":"10","limit":"10"})") == R"({"limit":10,"pattern":"10"})");
  CHECK(tool_input(R"({"pattern":"true","limit":"1"})") == R"({"limit":1,"pattern":"true"})");
}

TEST_CASE("what would lose something is refused, with what came and what there is") {
  CHECK(tool_fault(R"({"pattern":"x","limit":"ten"})") ==
        R"(limit: expected an integer from 1 to 1000, got a string: "ten")");
  CHECK(tool_fault(R"({"pattern":"x","limit":"10.5"})") ==
        R"(limit: expected an integer from 1 to 1000, got a string: "10.5")");
  CHECK(tool_fault(R"({"pattern":"x","limit":" 10"})") ==
        R"(limit: expected an integer from 1 to 1000, got a string: " 10")");
  CHECK(tool_fault(R"({"pattern":"x","limit":""})") ==
        R"(limit: expected an integer from 1 to 1000, got a string: "")");
  CHECK(tool_fault(R"({"pattern":"x","limit":2.5})") ==
        "limit: expected an integer from 1 to 1000, got a number: 2.5");
  CHECK(tool_fault(R"({"pattern":"x","limit":"5000"})") ==
        "limit: expected an integer from 1 to 1000, got 5000");
  CHECK(tool_fault(R"({"pattern":"x","multiline":"yes"})") ==
        R"(multiline: expected a boolean, got a string: "yes")");
  CHECK(tool_fault(R"({"pattern":"x","threshold":"inf"})") ==
        R"(threshold: expected a number, got a string: "inf")");
  CHECK(tool_fault(R"({"pattern":"x","paths":"src"})") ==
        R"(paths: expected an array, got a string: "src")");
  CHECK(tool_fault(R"({"pattern":"x","paths":"[broken"})") ==
        R"(paths: expected an array, got a string: "[broken")");
  CHECK(tool_fault(R"({"pattern":"x","paths":["a",{}]})") ==
        "paths[1]: expected a string, got an object: {}");
  CHECK(tool_fault(R"({"pattern":{"a":1}})") ==
        R"(pattern: expected a string, got an object: {"a":1})");
  CHECK(tool_fault(R"({"pattern":2.5})") == "pattern: expected a string, got a number: 2.5");
  CHECK(tool_fault(R"({"pattern":"x","stream":"both"})") ==
        R"(stream: expected "stdout" or "stderr", got "both")");
  CHECK(tool_fault(R"([1])") == "input: expected an object, got an array: [1]");
}

TEST_CASE("a missing member of a tool input names the members there are") {
  CHECK(tool_fault("{}") == "pattern: missing, expected a string");
  CHECK(tool_fault("null") == "pattern: missing, expected a string");
  CHECK(tool_fault(R"({"query":"x","limit":3})") ==
        "pattern: missing, expected a string (unknown: \"query\"; known are: pattern, limit, "
        "multiline, threshold, paths, at, stream)");
}

TEST_CASE("what came is quoted short and well-formed") {
  Json input = {{"pattern", "x"}};
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "标";
  input["limit"] = text;
  const auto coerced = wire::coerce<sample::ToolInput>(input);
  REQUIRE_FALSE(coerced.has_value());
  CHECK(coerced.error().message.size() < 200);
  CHECK(coerced.error().message.find("\uFFFD") == std::string::npos);
}
