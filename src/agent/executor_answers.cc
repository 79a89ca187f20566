// Questions that the model asks the user (AskUserQuestion): put in block order, answered, rejected
// or withdrawn. Nothing runs while one waits; the call runs when its answers are there. Run's
// thread, as all of the executor.
#include <utility>

#include "agent/executor.h"
#include "agent/texts.h"

namespace agentd::agent {

bool Executor::must_ask_user(const Call& call) {
  return call.tool != nullptr && call.tool->asks_user() && call.answers.empty();
}

void Executor::ask_user(Call& call) {
  if (!setup_.approvals) {
    return settle_text(call, ToolStatus::denied, std::string(texts::kNobodyToAnswer));
  }
  call.state = CallState::awaiting_answer;
  setup_.emit(QuestionAsked{call.id, call.tool->questions(*call.input)});
}

// The call is left in `waiting`: whoever resolved it gives it its answers or settles it, at once.
void Executor::resolve_user_question(Call& call, QuestionBy by) {
  setup_.emit(QuestionResolved{call.id, by});
  call.state = CallState::waiting;
}

Result<void> Executor::answer_question(const AnswersGiven& given) {
  const auto asked = asked_call(given.tool_use_id, CallState::awaiting_answer, "an answer");
  if (!asked) return asked.error();
  Call& call = **asked;
  if (given.rejected) {
    resolve_user_question(call, QuestionBy::user);
    deny_by_person(call, texts::kQuestionRejected, given.message);
    cancel_behind(call);
  } else {
    if (auto fault = answers_fault(call.tool->questions(*call.input), given.answers)) {
      fault->where = "params." + fault->where;
      return std::move(*fault);
    }
    resolve_user_question(call, QuestionBy::user);
    call.answers = given.answers;
  }
  advance();
  return {};
}

// Nobody can answer any more.
void Executor::withdraw_user_questions() {
  for (Call& call : calls_) {
    if (call.state != CallState::awaiting_answer) continue;
    resolve_user_question(call, QuestionBy::no_approver);
    settle_text(call, ToolStatus::denied, std::string(texts::kNobodyToAnswer));
  }
}

}  // namespace agentd::agent
