// Compaction: when the conversation is replaced by a summary of itself, and when no longer by
// itself. Pure decisions.
#pragma once

#include <cstdint>

namespace agentd::context {

/// Tokens of the window that are kept free: room for the summary's request and reply, and for what
/// the estimate gets wrong. The output limit up to 20 000, and 5 % of the window up to 20 000; at
/// most half of the window.
std::int64_t compaction_reserve(std::int64_t window, std::int64_t maximum_output);

/// What a conversation may consist of after a compaction, in tokens. Together they leave an eighth
/// of the room or more, so that the work goes on for a while.
struct CompactionShares {
  std::int64_t tail = 0;      // the newest messages, as they are
  std::int64_t summary = 0;   // the rest is cut
  std::int64_t request = 0;   // the user's last message word for word, its images
  std::int64_t put_back = 0;  // memory files, and files that were read lately
};

/// `room` is what the window has besides its reserve and what is in every request. Of a large one
/// (as of an unknown one: 0) 15 000, 20 000, 20 000 and 25 000 (peers' figures), of a smaller one a
/// quarter, a third, a sixth and an eighth, but no less than lets the work go on at all.
CompactionShares compaction_shares(std::int64_t room);

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
