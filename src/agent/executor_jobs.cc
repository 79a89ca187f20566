// What the executor does with the messages of its jobs: a call was looked at, its hooks have run,
// it began, it wrote something, it is over. Run's thread, as all of the executor.
#include <utility>

#include "agent/executor.h"
#include "agent/next_verdict.h"
#include "agent/texts.h"
#include "wire/text.h"

namespace agentd::agent {

void Executor::handle(JobMessage message) {
  std::visit([this](auto& m) { on(m); }, message);
}

void Executor::on(CallChecked& checked) {
  jobs_.ended(checked.job);
  Call* call = by_job(checked.job);
  if (call == nullptr || call->state == CallState::settled) return;
  call->job = 0;
  call->holds_place = false;
  if (cancelled_) {
    settle_text(*call, ToolStatus::cancelled, std::string(texts::kNotRunInterrupted));
    return;
  }
  call->hook_word = std::move(checked.hook_word);
  call->hook_word.asked = true;
  take_input(*call, checked.input);
  auto next = next_verdict({
      .found = std::move(checked.verdict),
      .today = judge(*call, checked.access),
      .hook_answer = checked.hook_answer,
      .agreed_before = call->approved.has_value(),
      .written_by_user = call->input_replaced,
      .repeated = call->repeated,
  });
  if (next.agreed && !call->approved) call->approved = checked.access;
  call->asked = std::move(checked.access);
  call->preview = std::move(checked.preview);
  after_verdict(*call, std::move(next.verdict));
  advance();
}

permission::Verdict Executor::judge(const Call& call, const Access& access) const {
  return with_hooks(
      permission::judge(setup_.conversation.mode, access, setup_.conversation.workspace, *grants_),
      call.hook_word, access);
}

void Executor::take_input(Call& call, const std::shared_ptr<const Json>& input) {
  if (input == call.input) return;
  call.input = input;
  call.safe = call.tool->safe(*input);
  call.hooks_changed_input = true;
}

void Executor::on(HooksRan& ran) {
  const Call* call = by_job(ran.job);
  const bool open = call != nullptr && call->state != CallState::settled;
  for (hooks::HookRecord& record : ran.records) {
    setup_.emit(HookRan{std::move(record), open ? call->id : ""});  // nothing follows a result
  }
  for (std::string& message : ran.messages) {
    setup_.emit(Notice{NoticeLevel::info, "hook_message", std::move(message)});
  }
  if (call == nullptr || !ran.stop || hook_stop_) return;  // nullptr: of an earlier attempt
  hook_stop_ = std::move(ran.stop);
  for (Call& each : calls_) each.cancelled_ahead = true;  // also those still to come
  cancel_queued_from(0, texts::kHookStopped);
}

void Executor::after_verdict(Call& call, permission::Verdict verdict) {
  switch (verdict.decision) {
    case permission::Decision::allow:
      call.state = CallState::waiting;
      break;
    case permission::Decision::ask:
      call.state = CallState::must_ask;
      call.reason = std::move(verdict.reason);
      break;
    case permission::Decision::deny: {
      settle_text(call, ToolStatus::denied, std::move(verdict.reason));
      break;
    }
  }
}

void Executor::on(CallBegan& began) {
  Call* call = by_job(began.job);
  if (call == nullptr || call->state == CallState::settled) return;
  take_input(*call, began.input);
  call->state = CallState::running;
  call->began = true;
  setup_.emit(ToolUse{call->id, call->name, ToolUseState::running, {}, nullptr});
}

void Executor::on(CallProgress& progress) {
  const Call* call = by_job(progress.job);
  if (call == nullptr || call->state == CallState::settled) return;
  setup_.emit(ToolProgress{call->id, progress.stream, std::move(progress.text)});
}

void Executor::on(CallFinished& finished) {
  jobs_.ended(finished.job);
  Call* call = by_job(finished.job);
  if (call == nullptr || call->state == CallState::settled) return;
  call->job = 0;
  call->holds_place = false;
  auto& outcome = finished.outcome;
  take_effects(*call, outcome);
  if (call->input_replaced || call->hooks_changed_input) {
    TextBlock note{call->input_replaced ? "(The user changed the input of this call to "
                                        : "(A hook changed the input of this call to "};
    wire::append_json(note.text, *call->input);
    note.text += ".)";
    outcome.content.emplace_back(std::move(note));
  }
  if (cancelled_) {
    outcome.content.insert(outcome.content.begin(), TextBlock{std::string(texts::kInterrupted)});
    settle(*call, ToolStatus::cancelled, std::move(outcome.content), std::move(outcome.details));
    return;
  }
  const bool cancels_queued = outcome.cancels_queued;
  settle(*call, outcome.is_error ? ToolStatus::failed : ToolStatus::completed,
         std::move(outcome.content), std::move(outcome.details));
  if (cancels_queued) cancel_behind(*call);
  advance();
}

}  // namespace agentd::agent
