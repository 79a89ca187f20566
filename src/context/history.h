// History: the append-only log of a session's messages and the view of it that is sent. It keeps
// the rules every API checks: each tool_use is answered in the next message, ids are unique over
// the whole session, no empty text, valid UTF-8. A run owns it while it lasts.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "message/message.h"

namespace agentd::context {

class History {
 public:
  /// Adds a message after making it fit the rules (normalise). A message with nothing left in it
  /// is not added. Two user messages in a row are joined in the view, not in the log.
  void append(Message message);

  /// What is sent: every message, neighbours of one role joined, first one the user's.
  std::vector<MessagePtr> view() const;

  const std::vector<MessagePtr>& log() const { return log_; }
  bool empty() const { return log_.empty(); }

  /// Claims `id` if it is non-empty and was never used in this session.
  bool claim_tool_use_id(const std::string& id);

 private:
  std::vector<MessagePtr> log_;
  std::unordered_set<std::string> tool_use_ids_;
};

}  // namespace agentd::context
