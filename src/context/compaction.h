// Compaction: when the conversation is replaced by a summary of itself, and when no longer by
// itself. Pure decisions.
#pragma once

#include <cstdint>

namespace agentd::context {

/// Tokens of the window that are kept free: room for the summary's request and reply, and for what
/// the estimate gets wrong. The output limit up to 20 000, and 5 % of the window up to 20 000; at
/// most half of the window.
std::int64_t compaction_reserve(std::int64_t window, std::int64_t maximum_output);

/// Tokens of the newest messages that are kept as they are at a compaction: a quarter of what the
/// window has besides its reserve, 2 000 to 15 000 (a peer's figures).
std::int64_t tail_budget(std::int64_t window, std::int64_t reserve);

/// True if a request of `tokens` leaves less than `reserve` of the window. A window of 0 is an
/// unknown one: never.
bool should_compact(std::int64_t tokens, std::int64_t window, std::int64_t reserve);

/// Stops automatic compactions that lead nowhere, for good in this session or until one made by
/// hand works. It opens after 3 failures in a row; when the window is full again before one reply
/// fitted after a compaction; when 3 times in a row it was full again within 3 replies.
class CompactionBreaker {
 public:
  static constexpr int kFailures = 3;
  static constexpr int kRefills = 3;
  static constexpr int kSoon = 3;  // replies

  /// A compaction is due, or the API said that the window is full. False: make none.
  bool allow_automatic();
  void succeeded();
  /// One asked for by hand worked: all is forgotten.
  void succeeded_by_hand();
  void failed();
  /// A reply came without the window being full.
  void reply_fitted();

  bool is_open() const { return open_; }

 private:
  bool open_ = false;
  bool compacted_ = false;  // at least once
  int failures_ = 0;        // in a row
  int replies_ = 0;         // since the last compaction
  int refills_ = 0;         // soon after a compaction, in a row
};

}  // namespace agentd::context
