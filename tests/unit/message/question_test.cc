// Which answers fit which questions.
#include "message/question.h"

#include <doctest/doctest.h>

using namespace agentd;

TEST_CASE("answers fit their questions, or it is said where they do not") {
  const std::vector<Question> questions = {
      {"Which?", "Which", {{"this", "", {}}, {"that", "", {}}}, false},
      {"What else?", "Else", {{"a", "", {}}, {"b", "", {}}}, true}};
  struct Row {
    std::vector<QuestionAnswer> answers;
    std::string where;  // empty: they fit
  };
  const std::vector<Row> rows = {
      {{{{"this"}, ""}, {{"a", "b"}, ""}}, ""},
      {{{{}, "my own"}, {{}, "words"}}, ""},
      {{{{"that"}, "and a remark"}, {{"b"}, ""}}, ""},
      {{{{"this"}, ""}}, "answers"},
      {{}, "answers"},
      {{{{"this"}, ""}, {{"a"}, ""}, {{"a"}, ""}}, "answers"},
      {{{{}, " \n"}, {{"a"}, ""}}, "answers[0]"},
      {{{{"this", "that"}, ""}, {{"a"}, ""}}, "answers[0].labels"},
      {{{{"this"}, ""}, {{"a", "this"}, ""}}, "answers[1].labels[1]"},
      {{{{"this"}, ""}, {{"a", "a"}, ""}}, "answers[1].labels[1]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.where);
    const auto fault = answers_fault(questions, row.answers);
    CHECK(fault.has_value() == !row.where.empty());
    if (fault) CHECK(fault->where == row.where);
    if (fault) CHECK(fault->code == Code::invalid_input);
  }
}
