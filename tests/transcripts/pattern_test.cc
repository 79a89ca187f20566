// The runner's own tests: a matcher that lets everything through would make every transcript pass.
#include <doctest/doctest.h>

#include "transcripts/pattern.h"
#include "transcripts/transcript.h"

using namespace agentd::transcripts;

namespace {

bool matches(const char* pattern, const char* value, Names names = {}) {
  return !mismatch(Json::parse(pattern), Json::parse(value), names).has_value();
}

}  // namespace

TEST_CASE("every named field must be there and equal, others do not matter") {
  CHECK(matches(R"({"a": 1})", R"({"a": 1, "b": 2})"));
  CHECK_FALSE(matches(R"({"a": 1})", R"({"a": 2})"));
  CHECK_FALSE(matches(R"({"a": 1})", R"({"b": 1})"));
  CHECK_FALSE(matches(R"({"a": {"b": "x"}})", R"({"a": {"b": "y"}})"));
  CHECK_FALSE(matches(R"({"a": null})", R"({"a": 0})"));
  CHECK_FALSE(matches(R"({})", R"([])"));
}

TEST_CASE("arrays match element by element") {
  CHECK(matches(R"([1, "$any"])", R"([1, {"x": 1}])"));
  CHECK_FALSE(matches(R"([1])", R"([1, 2])"));
  CHECK_FALSE(matches(R"([1, 2])", R"([2, 1])"));
}

TEST_CASE("$absent, $any and $contains") {
  CHECK(matches(R"({"a": "$absent"})", R"({"b": 1})"));
  CHECK_FALSE(matches(R"({"a": "$absent"})", R"({"a": null})"));
  CHECK_FALSE(matches(R"({"a": "$any"})", R"({})"));
  CHECK(matches(R"("$contains:ell")", R"("hello")"));
  CHECK_FALSE(matches(R"("$contains:elf")", R"("hello")"));
  CHECK_FALSE(matches(R"("$contains:1")", R"(1)"));
}

TEST_CASE("a name takes a value once and then stands for it") {
  Names names;
  CHECK_FALSE(mismatch(Json::parse(R"({"id": "$x"})"), Json::parse(R"({"id": "r1"})"), names));
  CHECK(names.at("x") == "r1");
  CHECK(mismatch(Json::parse(R"({"id": "$x"})"), Json::parse(R"({"id": "r2"})"), names));
  CHECK(filled(Json::parse(R"(["$x", "a/$x/b", "$y"])"), names) ==
        Json::parse(R"(["r1", "a/r1/b", "$y"])"));
  CHECK(matches(R"("in $x")", R"("in r1")", names));
}

TEST_CASE("a pattern that fails takes nothing") {
  Names names;
  CHECK(
      mismatch(Json::parse(R"({"a": "$x", "b": 1})"), Json::parse(R"({"a": "v", "b": 2})"), names));
  CHECK(names.empty());
}

TEST_CASE("a transcript is read with its headers, messages and steps") {
  const Transcript transcript = parse_transcript(
      "# A title\n# prose\nframing: lines\nenvironment: A=b=c\nfile d/x.txt:\n  one\n    two\n\n"
      "> {\"id\": 1,\n   \"method\": \"m\"}\n# between\n< ...\n< {\"id\": 1}\n! close\n! exit 3\n");
  CHECK(transcript.title == "A title");
  CHECK(transcript.framing == agentd::testing::Framing::lines);
  REQUIRE(transcript.environment.size() == 1);
  CHECK(transcript.environment[0].second == "b=c");
  REQUIRE(transcript.files.size() == 1);
  CHECK(transcript.files[0].first == "d/x.txt");
  CHECK(transcript.files[0].second == "one\n  two\n");
  REQUIRE(transcript.steps.size() == 5);
  CHECK(transcript.steps[0].message == Json::parse(R"({"id": 1, "method": "m"})"));
  CHECK(transcript.steps[0].line == 9);
  CHECK(transcript.steps[1].kind == StepKind::skip);
  CHECK(transcript.steps[2].kind == StepKind::expect);
  CHECK(transcript.steps[3].kind == StepKind::close_input);
  CHECK(transcript.steps[4].code == 3);
}

TEST_CASE("what is no transcript is refused with its line") {
  CHECK_THROWS_WITH(parse_transcript("# t\n> {oops\n"), "line 2: not JSON: {oops");
  CHECK_THROWS_WITH(parse_transcript("# t\nfoo: x\n"), "line 2: no such header: foo");
  CHECK_THROWS_WITH(parse_transcript("# t\n! dance\n"), "line 2: no such step: ! dance");
  CHECK_THROWS(parse_transcript("> {}\n"));
}
