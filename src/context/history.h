// History: the append-only log of a session's messages and the view of it that is sent. It keeps
// the rules that every API checks, whatever is appended: each tool_use is answered in the next
// message, results first, ids unique over the session, no empty text, valid UTF-8. A run owns it
// while it lasts.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "message/message.h"

namespace agentd::context {

class History {
 public:
  /// Adds a message after making it fit the rules: bad text is repaired or dropped, a missing
  /// result is replaced by one that says so, an orphan result is dropped. A message with nothing
  /// left in it is not added.
  void append(Message message);

  /// What is sent: the log with neighbours of one role joined. The pointers of messages that did
  /// not change since the last call are the same, so that their encoded bytes can be reused.
  const std::vector<MessagePtr>& view() const { return view_; }

  /// Indexes into view() after which a prompt cache may be cut: the end of the request before
  /// this one, and the end of this one. Call once per request.
  std::vector<std::size_t> take_cache_points();

  const std::vector<MessagePtr>& log() const { return log_; }
  bool empty() const { return log_.empty(); }

  /// Claims `id` if it is not empty and was never used in this session.
  bool claim_tool_use_id(const std::string& id);

 private:
  void append_checked(Message message);

  std::vector<MessagePtr> log_;
  std::vector<MessagePtr> view_;
  std::unordered_set<std::string> tool_use_ids_;
  std::size_t previous_end_ = 0;  // number of messages in the request before; 0: none was sent
};

}  // namespace agentd::context
