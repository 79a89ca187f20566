// What happens to a run while it waits: the model's events become the reply and its calls, and
// each message in the mailbox changes the loop's state. Run's thread, from within a step that
// waits (loop.cc).
#include <iterator>
#include <utility>

#include "agent/call_input.h"
#include "agent/loop.h"

namespace agentd::agent {
namespace {

// A cancelled call that has not stopped by then is given up: a command gets TERM, 2 s, KILL and
// 3 s more; only a thread stuck in the kernel takes longer.
constexpr std::chrono::milliseconds kGiveUpAfter{5500};

// No model writes so much; what streams without end would fill the memory.
constexpr std::size_t kMostReplyBytes = std::size_t{64} * 1024 * 1024;

// After any other reason a call that is the reply's last block counts as cut (rule 2).
bool ended_well(model::StopReason reason) {
  switch (reason) {
    case model::StopReason::end_turn:
    case model::StopReason::tool_use:
    case model::StopReason::stop_sequence:
    case model::StopReason::pause_turn:
    case model::StopReason::unknown:
      return true;
    case model::StopReason::max_tokens:
    case model::StopReason::timeout:
    case model::StopReason::context_window_exceeded:
    case model::StopReason::refusal:
      return false;
  }
  return false;
}

}  // namespace

// ---- model events ------------------------------------------------------------------------------

void Loop::on(model::BlockBegan& began) {
  executor_.moved_on();
  if (began.kind != model::BlockKind::tool_use) {
    reply_.begin(began, {});
    return;
  }
  reply_.delivered = true;
  const auto& block = reply_.begin(began, new_tool_use_id(began.tool_use_id));
  executor_.begin(began.block, block.tool_use_id, block.tool_name);
}

void Loop::on(model::Delta& delta) {
  reply_.bytes += delta.text.size();
  if (reply_.bytes > kMostReplyBytes) {
    reply_.failure = model::ModelFailure{
        .failure_class = model::FailureClass::api_error,
        .message = "the reply does not end: it was cut at " +
                   std::to_string(kMostReplyBytes / (1024 * 1024)) + " MB",
        .should_retry = false,
    };
    reply_.ended = true;
    return;
  }
  const auto& block = reply_.append(delta);
  reply_.delivered = true;
  switch (delta.kind) {
    case model::DeltaKind::text:
      return emit(TextDelta{block.block_id, std::move(delta.text)});
    case model::DeltaKind::thinking:
      return emit(ThinkingDelta{block.block_id, std::move(delta.text)});
    case model::DeltaKind::input:
      return executor_.input_delta(delta.block, delta.text);
  }
}

void Loop::on(model::BlockEnded& ended) {
  auto& block = reply_.end(ended);
  if (block.kind != model::BlockKind::tool_use) return keep_block(ended.block);
  const auto input = parse_call_input(block.text);
  if (input) block.input = *input;
  keep_block(ended.block);  // before it can start
  executor_.close(ended.block, input);
}

void Loop::on(model::UsageTold& told) {
  reply_.usage.overwrite(told.usage);
}

void Loop::on(model::StopTold& told) {
  reply_.stop = std::move(told);
  if (reply_.stop->reason == model::StopReason::unknown) {
    emit(Notice{NoticeLevel::warning, "unknown_stop_reason",
                "The model stopped for a reason agentd does not know: " + reply_.stop->wire});
  }
  if (!ended_well(reply_.stop->reason)) return;
  executor_.open_gate();
  executor_.moved_on();
}

// The end of the message closes what was not closed by its own stop, but for a last call that the
// output limit cut.
void Loop::on(model::MessageEnded&) {
  const bool cut = reply_.stop && !ended_well(reply_.stop->reason);
  const int count = static_cast<int>(reply_.blocks().size());
  for (int number = 0; number < count; ++number) {
    auto& block = reply_.block(number);
    if (block.ended) continue;
    block.ended = true;
    if (block.kind == model::BlockKind::tool_use && !(cut && number == count - 1)) {
      const auto input = parse_call_input(block.text);
      if (input) block.input = *input;
      keep_block(number);
      executor_.close(number, input);
    }
  }
  reply_.ended = true;
}

void Loop::on(model::Failed& failed) {
  reply_.failure = std::move(failed.failure);
  reply_.ended = true;
}

std::string Loop::new_tool_use_id(const std::string& wanted) {
  if (conversation_.history.claim_tool_use_id(wanted)) return wanted;
  while (true) {
    std::string id = services_.ids.next("call");
    if (conversation_.history.claim_tool_use_id(id)) return id;
  }
}

// ---- the mailbox -------------------------------------------------------------------------------

void Loop::handle(RunMessage message) {
  std::visit([this](auto& m) { on(m); }, message);
}

void Loop::on(ModelArrived& arrived) {
  if (arrived.request != request_ || cancelled_) return;
  if (compaction_.summary) return compaction_.summary->take(arrived.events);
  if (reply_.ended) return;
  for (auto& event : arrived.events) {
    if (reply_.ended) break;
    std::visit([this](auto& e) { on(e); }, event);
  }
  hold_if_client_is_slow();
}

void Loop::hold_if_client_is_slow() {
  if (held_ || !stream_ || reply_.ended) return;
  if (gate_->pass_or_wait([box = mailbox_] { box->push(FlowResumed{}); })) return;
  held_ = true;
  stream_->pause();
}

void Loop::on(FlowResumed&) {
  held_ = false;
  if (stream_) stream_->resume();
}

void Loop::on(JobArrived& arrived) {
  executor_.handle(std::move(arrived.message));
}

void Loop::on(LookedAround& found) {
  // Nobody is told of it in this run any more.
  if (cancelled_) {
    std::move(found.changed.begin(), found.changed.end(),
              std::back_inserter(conversation_.untold_changes));
    found.changed.clear();
  }
  look_.found = std::move(found);
}

void Loop::on(RetryDue&) {
  retry_due_ = true;
}

void Loop::on(GiveUpDue&) {
  cancel_.gave_up = true;
  cancel_.given_up = executor_.give_up();
  if (look_.thread.joinable() && !look_.found) cancel_.given_up.emplace_back("looking around");
}

void Loop::on(CancelAsked& asked) {
  cancel_.waiters.push_back(std::move(asked.done));
  if (cancelled_) return;
  cancelled_ = true;
  cancel_.call_was_open = executor_.any_open();
  stream_.reset();
  running_hooks_.stop.request_stop();
  executor_.cancel();
  give_up_in_time();
}

void Loop::give_up_in_time() {
  if (cancel_.give_up_timer) return;
  cancel_.give_up_timer =
      services_.clock.after(kGiveUpAfter, [box = mailbox_] { box->push(GiveUpDue{}); });
}

void Loop::on(ApprovalAnswered& answered) {
  answered.done(executor_.answer(answered.answer));
}

void Loop::on(QuestionAnswered& answered) {
  answered.done(executor_.answer_question(answered.answers));
}

void Loop::on(ModeSet& set) {
  executor_.set_mode(set.mode);
  if (options_.journal) options_.journal->keep_state(conversation_);
}

void Loop::on(ApprovalsWithdrawn&) {
  executor_.withdraw_approvals();
}

void Loop::on(HooksDone& done) {
  running_hooks_.done = std::move(done.outcomes);
}

// The reply under way stays that of the model that was asked; the next turn is the new one's.
void Loop::on(ModelSet& set) {
  if (options_.max_budget_usd && !set.model.facts.prices) {
    emit(Notice{NoticeLevel::warning, "unpriced_model",
                "This run has a budget in dollars, and agentd knows no price of " + set.model.name +
                    ": the model stays what it is until the run ends."});
    return;
  }
  answering_.chosen = std::move(set.model);
}

void Loop::on(MessageSent& sent) {
  messages_.waiting.add(std::move(sent.message));
  sent.done({});
}

void Loop::on(MessageTakenBack& taken) {
  if (messages_.waiting.remove(taken.id)) return taken.done({});
  if (messages_.taken.count(taken.id) > 0) {
    return taken.done(make_error(Code::too_late, "the model was told of it already"));
  }
  for (const UserMessage& refused : messages_.refused) {
    if (refused.id != taken.id) continue;
    return taken.done(
        make_error(Code::too_late, "a hook refused it; agent/runEnded hands it back"));
  }
  taken.done(make_error(Code::not_found, "this run has no message \"" + taken.id + "\""));
}

std::vector<std::function<void(Ending)>> Loop::take_cancel_waiters() {
  return std::exchange(cancel_.waiters, {});
}

}  // namespace agentd::agent
