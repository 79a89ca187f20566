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

constexpr std::string_view kCutSummary =
    "\n[... the summary was cut here by the output limit: what came last is missing]";

bool does_not_fit(const TextReply& reply) {
  if (reply.failure) {
    return reply.failure->failure_class == model::FailureClass::context_overflow ||
           reply.failure->failure_class == model::FailureClass::too_large;
  }
  return reply.stop && reply.stop->reason == model::StopReason::context_window_exceeded;
}

bool is_cut(const TextReply& reply) {
  return reply.stop && (reply.stop->reason == model::StopReason::max_tokens ||
                        reply.stop->reason == model::StopReason::timeout);
}

// Bytes at 4 to a token: two files at least share the room.
std::size_t bytes_of_one_file(std::int64_t tokens) {
  return std::min(context::kRecentFileBytes, static_cast<std::size_t>(tokens) * 2);
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
  compaction_.forbidden = ends_run(hook) || hook.block;
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
  replace_older(*summary, std::move(put_back), trigger != CompactionTrigger::manual);
  conversation_.window_exceeded = 0;
  if (trigger == CompactionTrigger::manual) {
    conversation_.compaction_breaker.succeeded_by_hand();
  } else {
    conversation_.compaction_breaker.succeeded();
  }
  emit(Compacted{trigger, before, history.tokens().tokens(), {}});
  return true;
}

context::CompactionShares Loop::compaction_shares() const {
  const std::int64_t window = answering_.now.facts.context_window;
  if (window <= 0) return context::compaction_shares(0);
  const std::int64_t overhead = conversation_.history.tokens().overhead();
  return context::compaction_shares(std::max<std::int64_t>(1, window - reserve() - overhead));
}

// `put_back` are memory files; files that were read lately join them. Work that goes on needs the
// user's last message, unless what is kept says it itself.
void Loop::replace_older(const std::string& summary, std::vector<context::Attachment> put_back,
                         bool work_goes_on) {
  auto& history = conversation_.history;
  const auto shares = compaction_shares();
  std::size_t keep_from = context::choose_tail(history.view(), shares.tail);
  if (keep_from == 0) keep_from = history.view().size();  // what keeps all of it sums up nothing
  auto request = context::last_request(history.view());
  if (!work_goes_on || (request && request->index >= keep_from)) request.reset();
  auto head = context::summary_head(summary, request, {shares.summary, shares.request});
  if (auto lost = context::lost_images_note(history.view(), keep_from, head)) {
    head.insert(head.begin() + 1, std::move(*lost));
  }
  conversation_.shown_attachments.clear();
  conversation_.plan_mode_told = false;
  if (auto todos = todos_again()) put_back.push_back(std::move(*todos));
  auto recent = context::recent_files(*conversation_.read_set, context::kRecentFiles,
                                      bytes_of_one_file(shares.put_back));
  std::move(recent.begin(), recent.end(), std::back_inserter(put_back));
  auto rendered =
      context::render(std::move(put_back), shares.put_back, conversation_.shown_attachments);
  announce(std::move(rendered.shown));
  auto& again = rendered.blocks;
  if (!conversation_.environment.empty()) {
    head.insert(head.begin() + 1, TextBlock{conversation_.environment});
  }
  head.insert(head.begin() + 1, std::make_move_iterator(again.begin()),
              std::make_move_iterator(again.end()));
  history.compact(std::move(head), keep_from);
}

// A run of its own: nothing is asked but the summary.
RunEnded Loop::compact_only() {
  count_overhead();
  if (conversation_.history.empty()) {
    emit(Notice{NoticeLevel::info, "nothing_to_compact", "There is nothing to sum up yet."});
    return ended(Ending::completed);
  }
  if (compact(CompactionTrigger::manual, *options_.compaction)) {
    tell_attached();
    return ended(Ending::completed);
  }
  RunEnded end = ended(cancelled_              ? Ending::aborted_streaming
                       : compaction_.forbidden ? Ending::hook_stopped
                                               : Ending::model_error);
  if (!cancelled_) end.message = compaction_.fault;
  return end;
}

// The oldest rounds are left out where the request itself is too long, images before them; what the
// endpoint refuses is taken out; a summary that its limit cut is asked for once more, shorter.
std::optional<std::string> Loop::ask_for_summary(const std::string& instructions) {
  SummaryTries tries;
  tries.request.instructions = instructions;
  keep_before_request();
  for (int attempt = 1; !cancelled_; ++attempt) {
    request_summary(tries.request, attempt > 1);
    wait_until([this] { return compaction_.summary->ended; });
    stream_.reset();
    const TextReply reply = *std::exchange(compaction_.summary, std::nullopt);
    note_tokens_spent(reply.usage, answering_.now.facts.prices);
    if (cancelled_) return std::nullopt;
    const bool refused = reply.stop && reply.stop->reason == model::StopReason::refusal;
    const bool whole = !reply.failure && !refused && !does_not_fit(reply) && !is_cut(reply);
    if (whole && context::usable_summary(reply.text)) return reply.text;
    if (!ask_again_differently(tries, reply) &&
        !(reply.failure && wait_before_retry(*reply.failure, attempt))) {
      break;
    }
  }
  if (cancelled_ || !context::usable_summary(tries.cut)) return std::nullopt;
  emit(Notice{NoticeLevel::warning, "summary_cut",
              "The model's output limit cut the summary; what came last in it is missing."});
  return tries.cut + std::string(kCutSummary);
}

// False: as it stands nothing is to be changed about the request.
bool Loop::ask_again_differently(SummaryTries& tries, const TextReply& reply) {
  compaction_.fault = reply.failure ? reply.failure->message : "The model gave no summary.";
  if (does_not_fit(reply)) return make_summary_fit(tries);
  if (reply.failure) {
    const auto refused = reply.failure->failure_class;
    if (!can_repair(refused, spent_, limits(reply.failure))) return false;
    repair_request(*reply.failure);
    spent_ = spend(spent_, Transition::request_repaired, refused);
    return true;
  }
  if (!is_cut(reply)) return false;
  compaction_.fault = "The summary was cut by the output limit.";
  if (reply.text.size() > tries.cut.size()) tries.cut = reply.text;
  return !std::exchange(tries.request.shorter, true);
}

bool Loop::make_summary_fit(SummaryTries& tries) {
  const auto& history = conversation_.history;
  compaction_.fault = "The conversation is too long even to be summed up.";
  if (!tries.request.without_images && context::has_images(history.view())) {
    tries.request.without_images = true;
    return true;
  }
  const std::size_t before = tries.request.first;
  while (tries.request.first == before) {
    if (++tries.drops > kMostDrops) return false;
    tries.request.first = context::rounds_to_drop(
        history.view(), history.tokens().tokens() * tries.drops / kDroppedShare);
  }
  return true;
}

void Loop::request_summary(const context::SummaryRequest& request, bool again) {
  auto messages = context::summary_request(conversation_.history.view(), request);
  const std::size_t last = messages.size() - 1;
  compaction_.summary.emplace();
  send(std::move(messages), {last > 0 ? last - 1 : last}, again);
}

}  // namespace agentd::agent
