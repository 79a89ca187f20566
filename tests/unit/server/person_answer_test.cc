// What counts as an answer at "Allow it?".
#include "server/person_answer.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::server;

TEST_CASE("whole words allow, case and blanks aside") {
  for (const char* line : {"y", "Y", "yes", " YES \r", "\tyes"}) {
    const auto answer = parse_person_answer(line);
    REQUIRE(answer);
    CHECK(answer->decision == agent::ApprovalDecision::allow);
    CHECK(answer->scope == agent::ApprovalScope::once);
  }
  const auto session = parse_person_answer(" S ");
  REQUIRE(session);
  CHECK(session->decision == agent::ApprovalDecision::allow);
  CHECK(session->scope == agent::ApprovalScope::session);
}

TEST_CASE("what only begins like an answer is none") {
  for (const char* line :
       {"", "  ", "stop", "skip", "yikes", "y not", "yes, but", "s all", "nothing", "none", "x"}) {
    CHECK_MESSAGE(!parse_person_answer(line), line);
  }
}

TEST_CASE("words behind a no are the message") {
  for (const char* line : {"n", "No", " no ", "n,"}) {
    const auto answer = parse_person_answer(line);
    REQUIRE(answer);
    CHECK(answer->decision == agent::ApprovalDecision::deny);
    CHECK(answer->message.empty());
  }
  for (const char* line : {"n use make", "no, use make", "NO ,  use make \r", "no,use make"}) {
    const auto answer = parse_person_answer(line);
    REQUIRE(answer);
    CHECK(answer->decision == agent::ApprovalDecision::deny);
    CHECK(answer->message == "use make");
  }
}
