// The table of next_verdict: who has the last word on a call that was looked at.
#include "agent/next_verdict.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::agent;
using permission::Decision;

namespace {

struct Row {
  const char* situation;
  Decision found;
  Decision today;
  HookAnswer hook = HookAnswer::none;
  bool agreed_before = false;
  bool written_by_user = false;
  bool repeated = false;
  Decision then;
  bool agreed = false;
};

constexpr auto kAllow = Decision::allow;
constexpr auto kAsk = Decision::ask;
constexpr auto kDeny = Decision::deny;

const Row kTable[] = {
    {.situation = "allowed", .found = kAllow, .today = kAllow, .then = kAllow},
    {.situation = "asked", .found = kAsk, .today = kAsk, .then = kAsk},
    {.situation = "denied", .found = kDeny, .today = kDeny, .then = kDeny},
    {.situation = "the mode was tightened while the job looked",
     .found = kAllow,
     .today = kAsk,
     .then = kAsk},
    {.situation = "a grant came while the job looked",
     .found = kAsk,
     .today = kAllow,
     .then = kAllow},
    {.situation = "agreed to before, and it is something else now",
     .found = kDeny,
     .today = kAsk,
     .agreed_before = true,
     .then = kDeny,
     .agreed = true},
    {.situation = "agreed to before: not asked again",
     .found = kAllow,
     .today = kAsk,
     .agreed_before = true,
     .then = kAllow,
     .agreed = true},
    {.situation = "a hook answers in the user's place",
     .found = kAsk,
     .today = kAsk,
     .hook = HookAnswer::allowed,
     .then = kAllow,
     .agreed = true},
    {.situation = "a hook denies what a grant would allow by now",
     .found = kDeny,
     .today = kAllow,
     .hook = HookAnswer::denied,
     .then = kDeny},
    {.situation = "the user wrote the input: agreed",
     .found = kAsk,
     .today = kAsk,
     .written_by_user = true,
     .then = kAllow,
     .agreed = true},
    {.situation = "the user wrote what the mode denies",
     .found = kDeny,
     .today = kDeny,
     .written_by_user = true,
     .then = kDeny},
    {.situation = "a circle is asked about though it is allowed",
     .found = kAllow,
     .today = kAllow,
     .repeated = true,
     .then = kAsk},
    {.situation = "a circle that a hook allows is asked about all the same",
     .found = kAsk,
     .today = kAsk,
     .hook = HookAnswer::allowed,
     .repeated = true,
     .then = kAsk,
     .agreed = true},
    {.situation = "a circle that is denied stays denied",
     .found = kDeny,
     .today = kDeny,
     .repeated = true,
     .then = kDeny},
};

}  // namespace

TEST_CASE("next_verdict: the table") {
  for (const Row& row : kTable) {
    CAPTURE(row.situation);
    const auto next = next_verdict({.found = {row.found, "found"},
                                    .today = {row.today, "today"},
                                    .hook_answer = row.hook,
                                    .agreed_before = row.agreed_before,
                                    .written_by_user = row.written_by_user,
                                    .repeated = row.repeated});
    CHECK(next.verdict.decision == row.then);
    CHECK(next.agreed == row.agreed);
  }
}
