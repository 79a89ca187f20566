// What counts as an answer at a question of the model, and how it is shown in a shell.
#include "server/question_answer.h"

#include <doctest/doctest.h>

#include "server/terminal_view.h"

using namespace agentd;
using namespace agentd::server;

namespace {

const Question kOne = {"Which?",
                       "Which",
                       {{"SQLite", "one file", {}}, {"Postgres", "a server", "host=db\nport=1"}},
                       false};

Question several() {
  Question question = kOne;
  question.multi_select = true;
  question.options.push_back({"None", "", {}});
  return question;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("a number or a label chooses an option") {
  for (const char* line : {"2", " 2 \r", "Postgres", "postgres", "2,2", "2 2"}) {
    CAPTURE(std::string(line));
    const auto typed = parse_question_answer(line, kOne);
    REQUIRE(typed);
    CHECK(typed->answer.labels == Labels{"Postgres"});
    CHECK(typed->answer.text.empty());
    CHECK_FALSE(typed->rejected);
  }
  for (const char* line : {"1,3", "1 3", "1, 3", " 1 , 3 ", "sqlite, 3", "SQLite None"}) {
    CAPTURE(std::string(line));
    const auto typed = parse_question_answer(line, several());
    REQUIRE(typed);
    CHECK(typed->answer.labels == Labels{"SQLite", "None"});
  }
}

TEST_CASE("what is no answer, and why") {
  struct Row {
    const char* line;
    AnswerFault fault;
  };
  for (const Row& row :
       {Row{"", AnswerFault::nothing}, Row{"  ", AnswerFault::nothing},
        Row{",", AnswerFault::nothing}, Row{"0", AnswerFault::no_such_option},
        Row{"3", AnswerFault::no_such_option}, Row{"1,9", AnswerFault::no_such_option},
        Row{"99999999999999999999", AnswerFault::no_such_option},
        Row{"00001", AnswerFault::no_such_option}, Row{"1,2", AnswerFault::one_only},
        Row{"2 1", AnswerFault::one_only}}) {
    CAPTURE(std::string(row.line));
    const auto typed = parse_question_answer(row.line, kOne);
    REQUIRE_FALSE(typed);
    CHECK(typed.error() == row.fault);
  }
  for (const AnswerFault fault :
       {AnswerFault::nothing, AnswerFault::no_such_option, AnswerFault::one_only}) {
    CHECK_FALSE(explanation(fault).empty());
  }
}

TEST_CASE("other words are the answer itself") {
  for (const char* line : {"no", "y", "-v, and fast", "3 of them", "SQLite Postgres"}) {
    CAPTURE(std::string(line));
    const auto typed = parse_question_answer(line, kOne);
    REQUIRE(typed);
    CHECK(typed->answer.text == line);
    CHECK(typed->answer.labels.empty());
    CHECK_FALSE(typed->rejected);
  }
}

TEST_CASE("where a label is a number, options have letters and a number is the label") {
  Question question = {
      "How many?", "Many", {{"4", "", {}}, {"2", "", {}}, {"Some", "", {}}}, false};
  CHECK(question_text(question, 1, 1) == "? How many?\n  a: 4\n  b: 2\n  c: Some");
  CHECK(question_prompt(question).starts_with("a to c, or your own words"));
  struct Row {
    const char* line;
    Labels labels;  // none: the line is the answer itself
  };
  for (const Row& row : {Row{"2", {"2"}}, Row{"4", {"4"}}, Row{"a", {"4"}}, Row{"B", {"2"}},
                         Row{"some", {"Some"}}, Row{"1", {}}, Row{"3", {}}, Row{"2,4", {}}}) {
    CAPTURE(std::string(row.line));
    const auto typed = parse_question_answer(row.line, question);
    REQUIRE(typed);
    CHECK(typed->answer.labels == row.labels);
    CHECK(typed->answer.text == (row.labels.empty() ? row.line : ""));
  }
  CHECK(parse_question_answer("d", question).error() == AnswerFault::no_such_option);
  CHECK(parse_question_answer("a,b", question).error() == AnswerFault::one_only);
  question.multi_select = true;
  CHECK(question_prompt(question).starts_with("Letters from a to c (as a,b), "));
  for (const char* line : {"4,2", "a b", "4, b"}) {
    CAPTURE(std::string(line));
    CHECK(parse_question_answer(line, question)->answer.labels == Labels{"4", "2"});
  }
  // A label wins over a letter: each option can be named.
  question.options[2].label = "A";
  CHECK(parse_question_answer("a", question)->answer.labels == Labels{"A"});
}

TEST_CASE("labels that differ by case alone are told apart by it") {
  const Question question = {"Which?", "Which", {{"a", "", {}}, {"A", "", {}}}, false};
  CHECK(parse_question_answer("a", question)->answer.labels == Labels{"a"});
  CHECK(parse_question_answer("A", question)->answer.labels == Labels{"A"});
}

TEST_CASE("a dash does not answer, with words that say why") {
  const auto plain = parse_question_answer(" - ", kOne);
  REQUIRE(plain);
  CHECK(plain->rejected);
  CHECK(plain->message.empty());
  const auto why = parse_question_answer("- decide yourself", kOne);
  REQUIRE(why);
  CHECK(why->rejected);
  CHECK(why->message == "decide yourself");
}

TEST_CASE("a question is shown with numbered options, and its last line says what to type") {
  CHECK(
      question_text(kOne, 1, 1) ==
      "? Which?\n  1: SQLite - one file\n  2: Postgres - a server\n       host=db\n       port=1");
  CHECK(question_text(several(), 2, 3).starts_with("? (2 of 3) Which?\n"));
  std::string screen;
  const auto write = [&](std::string_view text) {
    screen += text;
    return true;
  };
  TerminalView view({.answer = write,
                     .activity = write,
                     .answer_is_terminal = true,
                     .activity_is_terminal = true});
  view.ask(kOne, 1, 1);
  CHECK(screen.ends_with("port=1\n1 to 2, or your own words; -: do not answer > "));
  view.ask_again(explanation(AnswerFault::no_such_option));
  CHECK(
      screen.ends_with("> There is no such option.\n1 to 2, or your own words; -: do not answer "
                       "> "));
  view.answered();
  view.say("next");
  CHECK(screen.ends_with("> next\n"));
}

TEST_CASE("the todo list and a new mode are told in a shell") {
  std::string screen;
  const auto write = [&](std::string_view text) {
    screen += text;
    return true;
  };
  TerminalView view({.answer = write,
                     .activity = write,
                     .answer_is_terminal = false,
                     .activity_is_terminal = false});
  view.show(agent::TodosChanged{{{"Read", TodoStatus::completed, "Reading"},
                                 {"Write", TodoStatus::in_progress, "Writing"},
                                 {"Test", TodoStatus::pending, "Testing"}}});
  view.show(agent::ModeChanged{permission::Mode::accept_edits});
  CHECK(screen ==
        "  [x] Read\n  [>] Writing\n  [ ] Test\nagentd: the permission mode is acceptEdits now\n");
}
