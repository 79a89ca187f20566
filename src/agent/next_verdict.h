// next_verdict: what follows when a job has looked at a call: it waits for its place, is asked
// about, or is denied. A pure function of what the job found and what was agreed to meanwhile.
#pragma once

#include "agent/hook_context.h"
#include "permission/permission.h"

namespace agentd::agent {

struct CheckedFacts {
  permission::Verdict found;                  // by the job, with the mode it began with
  permission::Verdict today;                  // by the mode and the grants of this moment
  HookAnswer hook_answer = HookAnswer::none;  // to the question that a person would be asked
  bool agreed_before = false;    // somebody allowed just this, and it is looked at again
  bool written_by_user = false;  // the input is what the user made of it
  bool repeated = false;         // it closes a circle
};

struct NextVerdict {
  permission::Verdict verdict;
  bool agreed = false;  // what it would touch counts as allowed by somebody
};

NextVerdict next_verdict(const CheckedFacts& facts);

}  // namespace agentd::agent
