#include "context/compaction.h"

#include <algorithm>

namespace agentd::context {

std::int64_t compaction_reserve(std::int64_t window, std::int64_t maximum_output) {
  constexpr std::int64_t kMost = 20'000;
  const std::int64_t output = std::clamp<std::int64_t>(maximum_output, 0, kMost);
  const std::int64_t error = std::min(window / 20, kMost);
  return std::min(output + error, window / 2);
}

CompactionShares compaction_shares(std::int64_t room) {
  constexpr CompactionShares kLargest{15'000, 20'000, 20'000, 25'000};
  constexpr std::int64_t kLeastSummary = 500;
  constexpr std::int64_t kLeastRequest = 250;
  if (room == 0) return kLargest;
  const std::int64_t usable = std::max<std::int64_t>(room, 0);
  return {.tail = std::min(usable / 4, kLargest.tail),
          .summary = std::clamp(usable / 3, kLeastSummary, kLargest.summary),
          .request = std::clamp(usable / 6, kLeastRequest, kLargest.request),
          .put_back = std::min(usable / 8, kLargest.put_back)};
}

bool should_compact(std::int64_t tokens, std::int64_t window, std::int64_t reserve) {
  return window > 0 && tokens > window - reserve;
}

bool CompactionBreaker::allow_automatic() {
  if (compacted_ && failures_ == 0) {
    refills_ = replies_ < kSoon ? refills_ + 1 : 0;
    if (replies_ == 0 || refills_ >= kRefills) open_ = true;
    compacted_ = false;  // this refill is counted
  }
  return !open_;
}

void CompactionBreaker::succeeded() {
  failures_ = 0;
  replies_ = 0;
  compacted_ = true;
}

void CompactionBreaker::succeeded_by_hand() {
  *this = CompactionBreaker();
}

void CompactionBreaker::failed() {
  if (++failures_ >= kFailures) open_ = true;
}

void CompactionBreaker::reply_fitted() {
  if (replies_ < kSoon) ++replies_;
}

}  // namespace agentd::context
