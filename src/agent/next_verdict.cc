#include "agent/next_verdict.h"

#include <string>

#include "agent/texts.h"

namespace agentd::agent {
namespace {

using permission::Decision;
using permission::Verdict;

// Mode and grants may have changed while the job looked: a question that nobody has answered is
// put by today's.
Verdict standing(const CheckedFacts& facts) {
  switch (facts.hook_answer) {
    case HookAnswer::allowed:
      return {Decision::allow, {}};
    case HookAnswer::denied:
      return facts.found;
    case HookAnswer::none:
      return facts.agreed_before ? facts.found : facts.today;
  }
  return facts.found;
}

}  // namespace

NextVerdict next_verdict(const CheckedFacts& facts) {
  NextVerdict next{standing(facts), facts.agreed_before};
  if (facts.hook_answer == HookAnswer::allowed) next.agreed = true;
  if (facts.written_by_user && !next.agreed) {
    // Who wrote it agrees to it; a deny stands.
    if (next.verdict.decision == Decision::ask) next.verdict = {Decision::allow, {}};
    next.agreed = next.verdict.decision == Decision::allow;
  }
  if (facts.repeated && next.verdict.decision == Decision::allow) {
    next.verdict = {Decision::ask, std::string(texts::kRepeated)};
  }
  return next;
}

}  // namespace agentd::agent
