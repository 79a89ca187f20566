#include "context/history.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "context/normalise.h"

namespace agentd::context {

void History::append(Message message) {
  repair_blocks(message.blocks);
  if (message.role == Role::assistant) drop_last_thinking(message.blocks);
  const auto open_calls =
      last_ && last_->role == Role::assistant ? tool_use_ids(*last_) : std::vector<std::string>();
  if (message.role == Role::user) {
    message.blocks = pair_results(std::move(message.blocks), open_calls);
  } else if (!open_calls.empty()) {
    append_checked(Message{Role::user, pair_results({}, open_calls)});
  }
  if (!message.blocks.empty()) append_checked(std::move(message));
}

void History::append_checked(Message message) {
  const auto added = std::make_shared<const Message>(std::move(message));
  log_.push_back(added);
  last_ = added;
  // Also of a reply that a crash left: its ids are not given again.
  for (const std::string& id : tool_use_ids(*added)) tool_use_ids_.insert(id);
  tokens_.add(estimate(*added));
  push_joined(view_, added);
}

bool History::compact(std::vector<Block> head, std::size_t keep_from) {
  repair_blocks(head);
  std::erase_if(head, [](const Block& block) {
    return std::holds_alternative<ToolResultBlock>(block);  // it would answer nothing
  });
  return !head.empty() && change(Compacted{std::move(head), keep_from});
}

std::int64_t History::clear_old_outputs(std::int64_t protected_tokens, std::int64_t least) {
  auto ids = outputs_to_clear(view_, protected_tokens, least);
  const std::int64_t before = estimate(view_);
  if (ids.empty() || !change(OutputsCleared{std::move(ids)})) return 0;
  return before - estimate(view_);
}

bool History::replace_images(std::string_view note) {
  return change(ImagesReplaced{std::string(note)});
}

bool History::strip_thinking() {
  return change(ThinkingStripped{});
}

bool History::change(ViewChange change) {
  View view = changed_view(view_, change);
  const std::size_t same = first_difference(view_, view);
  if (same == view_.size() && same == view.size()) return false;
  previous_end_ = std::min(previous_end_, same);
  view_ = std::move(view);
  tokens_.replaced(estimate(view_));
  const bool compacted = std::holds_alternative<Compacted>(change);
  if (compacted) {
    for (RecordedChange& earlier : changes_) earlier.view.clear();
  }
  changes_.push_back({log_size(), std::move(change), compacted ? view_ : View()});
  return true;
}

void History::forget_stored() {
  log_begin_ += log_.size();
  log_.clear();
  changes_begin_ += changes_.size();
  changes_.clear();
}

History History::restored(const StoredHistory& stored) {
  History history;
  history.view_ = stored.view;
  if (!stored.view.empty()) history.last_ = stored.view.back();
  history.log_begin_ = stored.log_begin;
  history.changes_begin_ = stored.changes_begin;
  history.tokens_.replaced(estimate(stored.view));
  for (const std::string& id : stored.earlier_calls) history.claim_tool_use_id(id);
  auto next = stored.changes.begin();
  const auto change_until = [&](std::size_t log_size) {
    for (; next != stored.changes.end() && next->log_size <= log_size; ++next) {
      history.change(next->change);
    }
  };
  for (std::size_t i = 0; i < stored.log.size(); ++i) {
    change_until(stored.log_begin + i);
    history.append(*stored.log[i]);
  }
  change_until(stored.log_size());
  return history;
}

std::vector<std::size_t> History::take_cache_points() {
  std::vector<std::size_t> points;
  if (view_.empty()) return points;
  const std::size_t end = view_.size();
  if (previous_end_ > 0 && previous_end_ < end) points.push_back(previous_end_ - 1);
  points.push_back(end - 1);
  previous_end_ = end;
  return points;
}

bool History::claim_tool_use_id(const std::string& id) {
  return !id.empty() && tool_use_ids_.insert(id).second;
}

}  // namespace agentd::context
