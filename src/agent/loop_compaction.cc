// Compaction as the loop does it: when the conversation nears the model's window, or did not fit,
// or somebody asks, old outputs are cleared from the view; where that is not enough the model is
// asked for a summary, which then stands in place of the older messages. The log keeps them all.
// Run's thread, from within prepare.
#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/loop.h"
#include "context/compaction.h"
#include "context/recent_files.h"
#include "context/summary.h"
#include "context/tail.h"

namespace agentd::agent {
namespace {

// A summary request that does not fit drops a fifth of the conversation, and again.
constexpr std::int64_t kDroppedShare = 5;
constexpr int kMostDrops = 4;
constexpr std::int64_t kPutBackTokens = 25'000;

bool does_not_fit(const SummaryReply& reply) {
  if (reply.failure) {
    return reply.failure->failure_class == model::FailureClass::context_overflow ||
           reply.failure->failure_class == model::FailureClass::too_large;
  }
  return reply.stop && reply.stop->reason == model::StopReason::context_window_exceeded;
}

}  // namespace

bool Loop::may_compact() const {
  return options_.auto_compact && !conversation_.compaction_breaker.is_open();
}

// Nothing is known of a model's window before its first reply but what the catalog says.
bool Loop::near_the_window() const {
  return context::should_compact(conversation_.history.tokens().tokens(),
                                 answering_.now.facts.context_window, reserve());
}

std::int64_t Loop::reserve() const {
  return context::compaction_reserve(answering_.now.facts.context_window, answering_.output_limit);
}

// False: the request cannot be sent, the run ends.
bool Loop::make_room() {
  const bool did_not_fit = transition_ == Transition::compacted ||
                           conversation_.window_exceeded >= answering_.now.facts.context_window;
  if (!did_not_fit && !near_the_window()) return true;
  if (!options_.auto_compact) return !did_not_fit;
  if (conversation_.history.clear_old_outputs() > 0 && !did_not_fit && !near_the_window()) {
    return true;
  }
  if (!conversation_.compaction_breaker.allow_automatic()) return !did_not_fit;
  const auto why = did_not_fit ? CompactionTrigger::window_exceeded : CompactionTrigger::automatic;
  return compact(why, {}) || !did_not_fit;
}

bool Loop::compact(CompactionTrigger trigger, const std::string& instructions) {
  auto& history = conversation_.history;
  strip_foreign_thinking();
  const std::int64_t before = history.tokens().tokens();
  const auto hook = run_hooks(hooks::PreCompactInput{trigger == CompactionTrigger::manual
                                                         ? hooks::CompactTrigger::manual
                                                         : hooks::CompactTrigger::automatic,
                                                     instructions});
  emit(Compacting{trigger, before});
  compaction_.forbidden = hook.block || hook.stop;
  if (compaction_.forbidden) {
    compaction_.fault = "A hook forbids it" + (hook.reason.empty() ? "." : ": " + hook.reason);
    conversation_.compaction_breaker.failed();
    emit(Compacted{trigger, before, before, compaction_.fault});
    return false;
  }
  const auto summary = ask_for_summary(instructions);
  // Looked for before the view is changed: a cancel leaves all as it was.
  auto put_back = summary ? memory_again() : std::vector<context::Attachment>();
  if (!summary || cancelled_) {
    if (!cancelled_) conversation_.compaction_breaker.failed();
    emit(Compacted{trigger, before, before, cancelled_ ? "Interrupted." : compaction_.fault});
    return false;
  }
  const std::size_t keep_from = context::choose_tail(
      history.view(), context::tail_budget(answering_.now.facts.context_window, reserve()));
  auto request = context::last_request(history.view());
  // By hand it is done with, and what is kept says it itself.
  if (trigger == CompactionTrigger::manual || (request && request->index >= keep_from)) {
    request.reset();
  }
  auto head = context::summary_head(*summary, {}, request);
  conversation_.shown_attachments.clear();
  conversation_.plan_mode_told = false;
  if (auto todos = todos_again()) put_back.push_back(std::move(*todos));
  auto recent = context::recent_files(*conversation_.read_set);
  std::move(recent.begin(), recent.end(), std::back_inserter(put_back));
  auto again =
      context::render(std::move(put_back), kPutBackTokens, conversation_.shown_attachments);
  if (!conversation_.environment.empty()) {
    head.insert(head.begin() + 1, TextBlock{conversation_.environment});
  }
  head.insert(head.begin() + 1, std::make_move_iterator(again.begin()),
              std::make_move_iterator(again.end()));
  history.compact(std::move(head), keep_from);
  conversation_.window_exceeded = 0;
  if (trigger == CompactionTrigger::manual) {
    conversation_.compaction_breaker.succeeded_by_hand();
  } else {
    conversation_.compaction_breaker.succeeded();
  }
  emit(Compacted{trigger, before, history.tokens().tokens(), {}});
  return true;
}

// A run of its own: nothing is asked but the summary.
RunEnded Loop::compact_only() {
  count_overhead();
  if (conversation_.history.empty()) {
    emit(Notice{NoticeLevel::info, "nothing_to_compact", "There is nothing to sum up yet."});
    return ended(Ending::completed);
  }
  if (compact(CompactionTrigger::manual, *options_.compaction)) return ended(Ending::completed);
  RunEnded end = ended(cancelled_              ? Ending::aborted_streaming
                       : compaction_.forbidden ? Ending::hook_stopped
                                               : Ending::model_error);
  if (!cancelled_) end.message = compaction_.fault;
  return end;
}

// The oldest rounds are left out where the request itself is too long.
std::optional<std::string> Loop::ask_for_summary(const std::string& instructions) {
  const auto& history = conversation_.history;
  std::size_t first = 0;
  int drops = 0;
  for (int attempt = 1; !cancelled_; ++attempt) {
    request_summary(first, instructions, attempt > 1);
    wait_until([this] { return compaction_.summary->ended; });
    stream_.reset();
    const SummaryReply reply = *std::exchange(compaction_.summary, std::nullopt);
    note_tokens_spent(reply.usage, answering_.now.facts.prices);
    if (cancelled_) break;
    if (does_not_fit(reply)) {
      compaction_.fault = "The conversation is too long even to be summed up.";
      if (++drops > kMostDrops) return std::nullopt;
      first = context::rounds_to_drop(history.view(),
                                      history.tokens().tokens() * drops / kDroppedShare);
      continue;
    }
    const bool refused = reply.stop && reply.stop->reason == model::StopReason::refusal;
    if (!reply.failure && !refused && context::usable_summary(reply.text)) return reply.text;
    if (!reply.failure) {
      compaction_.fault = "The model gave no summary.";
      return std::nullopt;
    }
    compaction_.fault = reply.failure->message;
    if (!wait_before_retry(*reply.failure, attempt)) return std::nullopt;
  }
  return std::nullopt;
}

void Loop::request_summary(std::size_t first, const std::string& instructions, bool again) {
  auto messages =
      context::summary_request(conversation_.history.view(), {first, instructions, false});
  const std::size_t last = messages.size() - 1;
  compaction_.summary.emplace();
  send(std::move(messages), {last > 0 ? last - 1 : last}, again);
}

}  // namespace agentd::agent
