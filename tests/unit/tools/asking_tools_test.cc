// The tools that a person decides on: AskUserQuestion and ExitPlanMode. Asking is the run's; here
// is what they ask, what they refuse, and what they tell the model.
#include <doctest/doctest.h>

#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

Json option(const std::string& label) {
  return {{"label", label}, {"description", "about " + label}};
}

Json question(const std::string& text, Json options) {
  return {{"question", text}, {"header", "Head"}, {"options", std::move(options)}};
}

const Json kTwo = Json::array({option("this"), option("that")});

}  // namespace

TEST_CASE("the questions of a call are those of its input") {
  Workspace ws;
  Json second = question("Which else?", Json::array({option("a"), option("b"), option("c")}));
  second["multiSelect"] = true;
  second["options"][1]["preview"] = "int b;";
  const Json input = {{"questions", {question("Which?", kTwo), second}}};
  const Tool& tool = ws.tool("AskUserQuestion");
  CHECK(tool.asks_user());
  const auto questions = tool.questions(input);
  REQUIRE(questions.size() == 2);
  CHECK(questions[0].question == "Which?");
  CHECK(questions[0].header == "Head");
  CHECK_FALSE(questions[0].multi_select);
  CHECK(questions[0].options[1].description == "about that");
  CHECK(questions[1].multi_select);
  CHECK(questions[1].options[1].preview == "int b;");
  CHECK_FALSE(questions[1].options[2].preview);
  CHECK_FALSE(ws.tool("Read").asks_user());
}

TEST_CASE("the model is told each question with its answer") {
  Workspace ws;
  const Json input = {{"questions", {question("Which?", kTwo), question("Why?", kTwo)}}};
  const Tool& tool = ws.tool("AskUserQuestion");
  CallContext context = ws.context();
  CHECK(tool.run(input, context).is_error);  // nobody was asked
  context.answers = {{{"that"}, ""}, {{}, "because"}};
  CHECK(text_of(tool.run(input, context)) ==
        "The user has answered.\n\nQuestion: Which?\nAnswer: that\n\nQuestion: Why?\nAnswer: "
        "because");
  context.answers = {{{"this", "that"}, "both"}, {{}, "x"}};
  CHECK(says(tool.run(input, context), "Answer: this, that\nIn their own words: both"));
}

TEST_CASE("what is wrong with a question is said with its place") {
  Workspace ws;
  const Json one = Json::array({option("this")});
  const Json twice = Json::array({option("this"), option("this")});
  const Json five = Json::array({option("1"), option("2"), option("3"), option("4"), option("5")});
  const Json good = question("Which?", kTwo);
  struct Row {
    Json questions;
    std::string part;
  };
  const std::vector<Row> rows = {
      {Json::array(), "1 to 4 questions, got 0"},
      {Json::array({good, good, good, good, good}), "got 5"},
      {Json::array({good, question(" ", kTwo)}), "questions[1].question: must not be empty"},
      {Json::array({question("Which?", one)}), "questions[0].options: needs 2 to 4 options, got 1"},
      {Json::array({question("Which?", five)}), "got 5"},
      {Json::array({question("Which?", twice)}), "questions[0].options[1].label"},
      {Json::array({question("Which?", Json::array({option(""), option("x")}))}),
       "questions[0].options[0].label: must not be empty"},
      {Json::array({{{"question", "Which?"}, {"options", kTwo}}}), "questions[0].header"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.part);
    CHECK(says(ws.refusal("AskUserQuestion", {{"questions", row.questions}}), row.part));
  }
}

TEST_CASE("a plan is what a person is shown, and leads back to the mode before plan mode") {
  Workspace ws;
  const Tool& tool = ws.tool("ExitPlanMode");
  const Json input = {{"plan", "# Plan\n1. Do it."}};
  CHECK(tool.changes_mode());
  CHECK(tool.access(input, ws.cwd()).leaves_plan_mode);
  CallContext context = ws.context();
  CHECK(tool.preview(input, context) == "# Plan\n1. Do it.");
  context.mode = PermissionMode::plan;
  context.mode_before_plan = PermissionMode::accept_edits;
  const Outcome outcome = tool.run(input, context);
  CHECK_FALSE(outcome.is_error);
  CHECK(outcome.mode == PermissionMode::accept_edits);
  CHECK(says(outcome, "acceptEdits"));
  CHECK(says(ws.refusal("ExitPlanMode", {{"plan", " \n"}}), "plan: must not be empty"));
}

TEST_CASE("outside plan mode there is nothing to leave") {
  Workspace ws;
  CallContext context = ws.context();
  for (const auto mode :
       {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::bypass}) {
    context.mode = mode;
    const Outcome outcome = ws.tool("ExitPlanMode").run({{"plan", "x"}}, context);
    CHECK(outcome.is_error);
    CHECK_FALSE(outcome.mode);
    CHECK(says(outcome, std::string(to_string(mode))));
  }
}
