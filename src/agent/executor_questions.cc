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

void Executor::ask(Call& call) {
  setup_.emit(ApprovalRequested{call.id, call.name, call.input, call.reason, call.preview});
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
      call.approved = call.asked;
      call.state = CallState::waiting;
    }
  } else {
    call.state = CallState::whole;  // left by settling it, at once
  }
}

Result<void> Executor::answer(const ApprovalAnswer& answer) {
  Call* call = by_id(answer.tool_use_id);
  if (call == nullptr && earlier_calls_.count(answer.tool_use_id) > 0) {
    return make_error(Code::too_late, "call " + answer.tool_use_id + " is over");
  }
  if (call == nullptr) {
    return make_error(Code::unknown_call, "this run has no call " + answer.tool_use_id);
  }
  if (call->state != CallState::awaiting_approval) {
    return make_error(Code::too_late,
                      "call " + answer.tool_use_id + " is not waiting for an approval (any more)");
  }
  if (answer.decision == ApprovalDecision::deny) {
    resolve_question(*call, ApprovalDecision::deny, ApprovalBy::user);
    std::string text(texts::kDeniedByUser);
    if (!answer.message.empty()) text += " They say: " + answer.message;
    if (answer.message.empty() && setup_.deny_stops) blocked_ = true;
    settle_text(*call, ToolStatus::denied, std::move(text));
    if (blocked_) cancel_queued_from(0, texts::kBlocked);
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
  setup_.conversation.mode = mode;
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
  advance();
}

}  // namespace agentd::agent
