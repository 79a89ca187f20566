// Circles: what counts as one, as a table of turns; the last call of the last turn is asked about.
#include "agent/repeated_calls.h"

#include <doctest/doctest.h>

#include <vector>

using namespace agentd;
using namespace agentd::agent;

namespace {

struct Row {
  const char* what;
  std::vector<std::string> turns;  // each letter is a call
  bool circle;
};

bool last_closes_a_circle(const std::vector<std::string>& turns) {
  RepeatedCalls calls;
  bool circle = false;
  for (const std::string& turn : turns) {
    calls.begin_turn();
    for (const char call : turn) circle = calls.add("Read", {{"file_path", std::string(1, call)}});
  }
  return circle;
}

}  // namespace

TEST_CASE("circles") {
  const std::vector<Row> rows{
      {"once", {"a"}, false},
      {"twice", {"a", "a"}, false},
      {"three turns in a row", {"a", "a", "a"}, true},
      {"three times in one reply", {"aaa"}, false},
      {"in three turns, among others", {"ab", "ca", "xa"}, true},
      {"with a turn between", {"a", "a", "b", "a"}, false},
      {"two in turns", {"a", "b", "a", "b"}, true},
      {"not quite in turns", {"a", "b", "c", "b"}, false},
      {"every second turn beside new ones", {"a", "b", "a", "c"}, false},
      {"every third turn", {"a", "b", "c", "a", "b", "c"}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(last_closes_a_circle(row.turns) == row.circle);
  }
}

TEST_CASE("an attempt that is made again is the same turn") {
  RepeatedCalls calls;
  const Json input = {{"file_path", "a"}};
  calls.begin_turn();
  CHECK_FALSE(calls.add("Read", input));
  calls.begin_turn_again();
  CHECK_FALSE(calls.add("Read", input));
  calls.begin_turn_again();
  CHECK_FALSE(calls.add("Read", input));
  calls.begin_turn();
  calls.begin_turn_again();
  CHECK_FALSE(calls.add("Read", input));
  calls.begin_turn();
  CHECK(calls.add("Read", input));
}

TEST_CASE("the order of an input's members says nothing, its values do, and so does the tool") {
  RepeatedCalls calls;
  const auto turn = [&](const std::string& tool, const char* input) {
    calls.begin_turn();
    return calls.add(tool, Json::parse(input));
  };
  turn("Grep", R"({"pattern":"x","path":"y"})");
  turn("Grep", R"({"path":"y","pattern":"x"})");
  CHECK_FALSE(turn("Glob", R"({"pattern":"x","path":"y"})"));
  turn("Grep", R"({"pattern":"x","path":"y"})");
  turn("Grep", R"({"pattern":"x","path":"y"})");
  CHECK(turn("Grep", R"({"path":"y","pattern":"x"})"));
  calls.forget();
  CHECK_FALSE(turn("Grep", R"({"pattern":"x","path":"y"})"));
}
