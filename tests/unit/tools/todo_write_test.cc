// The model's list of its work: what it may hold, and how a wrong one is corrected.
#include <doctest/doctest.h>

#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

Json item(const std::string& content, const std::string& status = "pending") {
  return {{"content", content}, {"status", status}, {"activeForm", "Doing " + content}};
}

}  // namespace

TEST_CASE("a todo list is handed to the run as it is written") {
  Workspace ws;
  const Outcome outcome =
      ws.call("TodoWrite",
              {{"todos", {item("read", "completed"), item("write", "in_progress"), item("test")}}});
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome) == "The todo list is saved: 1 of 3 done. In progress: write.");
  REQUIRE(outcome.todos);
  CHECK(*outcome.todos == std::vector<Todo>{{"read", TodoStatus::completed, "Doing read"},
                                            {"write", TodoStatus::in_progress, "Doing write"},
                                            {"test", TodoStatus::pending, "Doing test"}});
  const Outcome cleared = ws.call("TodoWrite", {{"todos", Json::array()}});
  REQUIRE(cleared.todos);
  CHECK(cleared.todos->empty());
  CHECK(says(cleared, "empty"));
}

TEST_CASE("it touches nothing, so that no mode asks about it") {
  Workspace ws;
  const Access access = ws.tool("TodoWrite").access({{"todos", {item("x")}}}, ws.cwd());
  CHECK(access.reads.empty());
  CHECK(access.writes.empty());
  CHECK_FALSE(access.command);
}

TEST_CASE("what is wrong with a todo list is said with its place") {
  Workspace ws;
  Json many = Json::array();
  for (int i = 0; i < 101; ++i) many.push_back(item("x"));
  struct Row {
    Json todos;
    std::string part;
  };
  const std::vector<Row> rows = {
      {Json::array({item("ok"), item(" \n")}), "todos[1].content: must not be empty"},
      {Json::array({{{"content", "x"}, {"status", "pending"}, {"activeForm", ""}}}),
       "todos[0].activeForm: must not be empty"},
      {Json::array({{{"content", "x"}, {"status", "pending"}}}), "todos[0].activeForm: missing"},
      {Json::array({item("x", "done")}), "in_progress"},
      {Json::array({item(std::string(1001, 'x'))}), "todos[0].content: is too long"},
      {many, "at most 100"},
      {"tomorrow", "todos"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.part);
    CHECK(says(ws.refusal("TodoWrite", {{"todos", row.todos}}), row.part));
  }
}
