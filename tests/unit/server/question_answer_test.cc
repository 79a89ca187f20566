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
  for (const char* line : {"2", " 2 \r", "Postgres", "2,2", "2 2"}) {
    CAPTURE(std::string(line));
    const auto typed = parse_question_answer(line, kOne);
    REQUIRE(typed);
    CHECK(typed->answer.labels == Labels{"Postgres"});
    CHECK(typed->answer.text.empty());
    CHECK_FALSE(typed->rejected);
  }
  for (const char* line : {"1,3", "1 3", "1, 3", " 1 , 3 "}) {
    CAPTURE(std::string(line));
    const auto typed = parse_question_answer(line, several());
    REQUIRE(typed);
    CHECK(typed->answer.labels == Labels{"SQLite", "None"});
  }
}

TEST_CASE("numbers that stand for no option, and nothing at all, are no answer") {
  for (const char* line :
       {"", "  ", "0", "3", "1,2", "1,9", "99999999999999999999", ",", "00001"}) {
    CAPTURE(std::string(line));
    CHECK_FALSE(parse_question_answer(line, kOne));
  }
}

TEST_CASE("other words are the answer itself") {
  for (const char* line : {"no", "y", "-v, and fast", "3 of them", "sqlite"}) {
    CAPTURE(std::string(line));
    const auto typed = parse_question_answer(line, kOne);
    REQUIRE(typed);
    CHECK(typed->answer.text == line);
    CHECK(typed->answer.labels.empty());
    CHECK_FALSE(typed->rejected);
  }
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
  view.ask_again();
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
