// History: whatever is appended, the view is one that every API accepts.
#include "context/history.h"

#include <doctest/doctest.h>

#include "unit/context/talk.h"

using namespace agentd;
using context::History;
using namespace agentd::context::test;

TEST_CASE("a call without a result gets one that says so, in front of the user's text") {
  History history;
  history.append(user("x"));
  history.append(calls({"t1", "t2"}));
  history.append({Role::user, {TextBlock{"hi"}, result("t2")}});
  REQUIRE(history.view().size() == 3);
  const auto& blocks = history.view()[2]->blocks;
  REQUIRE(blocks.size() == 3);
  CHECK(std::get<ToolResultBlock>(blocks[0]).tool_use_id == "t1");
  CHECK(std::get<ToolResultBlock>(blocks[0]).is_error);
  CHECK(std::get<ToolResultBlock>(blocks[1]).tool_use_id == "t2");
  CHECK(std::get<TextBlock>(blocks[2]).text == "hi");
}

TEST_CASE("an assistant message behind open calls is preceded by their results") {
  History history;
  history.append(user("x"));
  history.append(calls({"t1"}));
  history.append({Role::assistant, {TextBlock{"and"}}});
  REQUIRE(history.view().size() == 4);
  CHECK(history.view()[2]->role == Role::user);
  CHECK(std::get<ToolResultBlock>(history.view()[2]->blocks.at(0)).tool_use_id == "t1");
}

TEST_CASE("the id of a call that was said is not given again, whoever said it") {
  History history;
  history.append(user("x"));
  history.append(calls({"t1"}));
  CHECK(!history.claim_tool_use_id("t1"));
  CHECK(history.claim_tool_use_id("t2"));
}

TEST_CASE("orphan results, blank text and empty messages are dropped") {
  History history;
  history.append(user("x"));
  history.append({Role::assistant, {TextBlock{" \n"}}});
  history.append({Role::user, {result("nobody"), TextBlock{""}}});
  CHECK(history.view().size() == 1);
  CHECK(history.log().size() == 1);
}

TEST_CASE("neighbours of one role are joined in the view, not in the log") {
  History history;
  history.append(user("a"));
  const auto before = history.view()[0];
  history.append(user("b"));
  CHECK(history.log().size() == 2);
  REQUIRE(history.view().size() == 1);
  CHECK(history.view()[0]->blocks.size() == 2);
  CHECK(before->blocks.size() == 1);  // messages never change
}

TEST_CASE("pointers of messages that did not change stay the same") {
  History history;
  history.append(user("a"));
  history.append(calls({"t1"}));
  const auto first = history.view()[0];
  history.append({Role::user, {result("t1")}});
  CHECK(history.view()[0] == first);
}

TEST_CASE("bad UTF-8 is repaired, an empty result filled") {
  History history;
  history.append(user("a\xFFz"));
  CHECK(std::get<TextBlock>(history.view()[0]->blocks[0]).text == "a\xEF\xBF\xBDz");
  history.append(calls({"t1"}));
  history.append({Role::user, {ToolResultBlock{"t1", {TextBlock{"\n"}}, false}}});
  const auto& filled = std::get<ToolResultBlock>(history.view()[2]->blocks[0]);
  CHECK(std::get<TextBlock>(filled.content.at(0)).text == "(no output)");
}

TEST_CASE("ids are claimed once in a session") {
  History history;
  CHECK(history.claim_tool_use_id("a"));
  CHECK_FALSE(history.claim_tool_use_id("a"));
  CHECK_FALSE(history.claim_tool_use_id(""));
}

TEST_CASE("cache points: the end of the request before, and of this one") {
  History history;
  CHECK(history.take_cache_points().empty());
  history.append(user("a"));
  CHECK(history.take_cache_points() == std::vector<std::size_t>{0});
  history.append(calls({"t1"}));
  history.append({Role::user, {result("t1")}});
  CHECK(history.take_cache_points() == std::vector<std::size_t>{0, 2});
  CHECK(history.take_cache_points() == std::vector<std::size_t>{2});
}
