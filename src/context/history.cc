#include "context/history.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "context/normalise.h"
#include "context/tail.h"

namespace agentd::context {

void History::append(Message message) {
  repair_blocks(message.blocks);
  const auto open_calls = !log_.empty() && log_.back()->role == Role::assistant
                              ? tool_use_ids(*log_.back())
                              : std::vector<std::string>();
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
  tokens_.add(estimate(*added));
  push_joined(view_, added);
}

bool History::compact(std::vector<Block> head, std::size_t keep_from) {
  repair_blocks(head);
  std::erase_if(head, [](const Block& block) {
    return std::holds_alternative<ToolResultBlock>(block);  // it would answer nothing
  });
  if (head.empty()) return false;
  View view{std::make_shared<const Message>(Message{Role::user, std::move(head)})};
  for (std::size_t i = safe_cut(view_, keep_from); i < view_.size(); ++i) {
    push_joined(view, view_[i]);
  }
  return change_view(std::move(view));
}

std::int64_t History::clear_old_outputs(std::int64_t protected_tokens, std::int64_t least) {
  const auto ids = outputs_to_clear(view_, protected_tokens, least);
  const std::int64_t before = estimate(view_);
  if (ids.empty() || !change_view(with_outputs_cleared(view_, ids))) return 0;
  return before - estimate(view_);
}

bool History::replace_images(std::string_view note) {
  return change_view(with_images_replaced(view_, note));
}

bool History::strip_thinking() {
  return change_view(with_thinking_stripped(view_));
}

bool History::change_view(View view) {
  const std::size_t same = first_difference(view_, view);
  if (same == view_.size() && same == view.size()) return false;
  previous_end_ = std::min(previous_end_, same);
  view_ = std::move(view);
  tokens_.replaced(estimate(view_));
  return true;
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
