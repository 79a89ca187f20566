#include "context/history.h"

#include <utility>

#include "context/normalise.h"

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
  if (view_.empty() || view_.back()->role != added->role) {
    view_.push_back(added);
    return;
  }
  Message joined = *view_.back();
  joined.blocks.insert(joined.blocks.end(), added->blocks.begin(), added->blocks.end());
  view_.back() = std::make_shared<const Message>(std::move(joined));
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
