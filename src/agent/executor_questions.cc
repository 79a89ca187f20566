// The executor's questions to the user: put in block order, answered, withdrawn, or settled by a
// grant or a change of mode. Run's thread, as all of the executor.
#include <utility>

#include "agent/executor.h"
#include "agent/texts.h"

namespace agentd::agent {
namespace {

// The fault as the client knows it: in its own parameter.
Error at_updated_input(Error error) {
  error.where = "params.updatedInput" + (error.where.empty() ? "" : "." + error.where);
  return error;
}

}  // namespace

// Its question is whether plan mode may be left.
bool Executor::puts_plan(const Call& call) const {
  return call.asked.leaves_plan_mode && setup_.conversation.mode == permission::Mode::plan;
}

void Executor::ask(Call& call) {
  const bool plan = puts_plan(call);
  if (plan) call.reason += texts::mode_after_plan(to_string(setup_.conversation.mode_before_plan));
  setup_.emit(ApprovalRequested{call.id, call.name, call.input, call.reason, call.preview, !plan});
  call.state = CallState::awaiting_approval;
  if (!setup_.approvals) {
    resolve_question(call, ApprovalDecision::deny, ApprovalBy::no_approver);
    settle_text(call, ToolStatus::denied, std::string(texts::kNobodyToAsk));
  }
}

void Executor::resolve_question(Call& call, ApprovalDecision decision, ApprovalBy by) {
  setup_.emit(ApprovalResolved{call.id, decision, by});
  if (decision == ApprovalDecision::allow) {
    if (call.input_replaced) {
      call.state = CallState::whole;  // what it would touch is not known yet
    } else {
      // A change of mode agrees to no plan.
      const bool agreed = !call.asked.leaves_plan_mode || by != ApprovalBy::mode;
      if (agreed) call.approved = call.asked;
      call.state = CallState::waiting;
    }
  } else {
    call.state = CallState::whole;  // left by settling it, at once
  }
}

// The call that waits in `state` for `what`.
Result<Call*> Executor::asked_call(const std::string& id, CallState state, const char* what) {
  Call* call = by_id(id);
  if (call == nullptr && earlier_calls_.count(id) > 0) {
    return make_error(Code::too_late, "call " + id + " is over");
  }
  if (call == nullptr) return make_error(Code::unknown_call, "this run has no call " + id);
  if (call->state == state) return call;
  return make_error(Code::too_late, "call " + id + " is not waiting for " + what + " (any more)");
}

// A plain refusal may end the run; with words it goes on.
void Executor::deny_by_person(Call& call, std::string_view text, const std::string& message) {
  std::string said(text);
  if (!message.empty()) said += " They say: " + message;
  if (message.empty() && setup_.deny_stops) blocked_ = true;
  settle_text(call, ToolStatus::denied, std::move(said));
  if (blocked_) cancel_queued_from(0, texts::kBlocked);
}

Result<void> Executor::answer(const ApprovalAnswer& answer) {
  const auto asked = asked_call(answer.tool_use_id, CallState::awaiting_approval, "an approval");
  if (!asked) return asked.error();
  Call* call = *asked;
  if (answer.decision == ApprovalDecision::deny) {
    resolve_question(*call, ApprovalDecision::deny, ApprovalBy::user);
    deny_by_person(*call, puts_plan(*call) ? texts::kPlanDenied : texts::kDeniedByUser,
                   answer.message);
    advance();
    return {};
  }
  if (answer.updated_input) {
    auto fitting = call->tool->coerce(*answer.updated_input);
    if (!fitting) return at_updated_input(fitting.error());
    call->input = std::make_shared<const Json>(std::move(*fitting));
    call->safe = call->tool->safe(*call->input);
    call->input_replaced = true;
  }
  if (answer.scope == ApprovalScope::session && !answer.updated_input) {
    setup_.conversation.grants.add(call->asked);
    grants_ = std::make_shared<const permission::Grants>(setup_.conversation.grants);
  }
  if (std::exchange(call->repeated, false)) repeated_calls_.forget();
  resolve_question(*call, ApprovalDecision::allow, ApprovalBy::user);
  for (auto& other : calls_) {
    const bool open =
        other.state == CallState::awaiting_approval || other.state == CallState::must_ask;
    if (!open || other.repeated) continue;
    if (judge(other, other.asked).decision != permission::Decision::allow) continue;
    if (other.state == CallState::awaiting_approval) {
      resolve_question(other, ApprovalDecision::allow, ApprovalBy::grant);
    } else if (other.state == CallState::must_ask) {
      other.state = CallState::waiting;
    }
  }
  advance();
  return {};
}

void Executor::set_mode(permission::Mode mode) {
  change_mode(mode);
  for (auto& call : calls_) {
    if (call.state != CallState::awaiting_approval && call.state != CallState::must_ask) continue;
    if (call.repeated) continue;  // that is no question of the mode
    const bool was_asked = call.state == CallState::awaiting_approval;
    auto verdict = judge(call, call.asked);
    if (verdict.decision == permission::Decision::ask) continue;
    const bool allowed = verdict.decision == permission::Decision::allow;
    if (was_asked) {
      resolve_question(call, allowed ? ApprovalDecision::allow : ApprovalDecision::deny,
                       ApprovalBy::mode);
    }
    after_verdict(call, std::move(verdict));
  }
  advance();
}

void Executor::withdraw_approvals() {
  setup_.approvals = false;
  for (auto& call : calls_) {
    if (call.state != CallState::awaiting_approval) continue;
    resolve_question(call, ApprovalDecision::deny, ApprovalBy::no_approver);
    settle_text(call, ToolStatus::denied, std::string(texts::kNobodyToAsk));
  }
  withdraw_user_questions();
  advance();
}

}  // namespace agentd::agent
