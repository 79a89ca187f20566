// History: the append-only log of a session's messages and the view of it that is sent. It keeps
// the rules that every API checks, whatever is appended: each tool_use is answered in the next
// message, results first, ids unique over the session, no empty text, valid UTF-8. The view begins
// at the last compaction and may have old outputs cleared, images replaced, thinking stripped; the
// log never changes. A run owns it while it lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "context/tokens.h"
#include "context/view.h"
#include "context/view_change.h"
#include "message/message.h"

namespace agentd::context {

/// A history that was stored: all of it, or its end and the view that it goes on from.
struct StoredHistory {
  View view;                      // when `log` began
  std::size_t log_begin = 0;      // messages before `log`
  std::size_t changes_begin = 0;  // changes before `changes`
  std::vector<MessagePtr> log;
  std::vector<RecordedChange> changes;     // their log sizes count all messages
  std::vector<std::string> earlier_calls;  // ids of the calls before `log`

  std::size_t log_size() const { return log_begin + log.size(); }
};

class History {
 public:
  /// A history as it was. A log that breaks the rules (a crash, say) is mended as it is taken in:
  /// log_size() differs then from what was stored.
  static History restored(const StoredHistory& stored);

  /// Adds a message after making it fit the rules: bad text is repaired or dropped, a missing
  /// result is replaced by one that says so, an orphan result is dropped. A message with nothing
  /// left in it is not added.
  void append(Message message);

  /// What is sent: the log with neighbours of one role joined, after the changes below. The
  /// pointers of messages that did not change since the last call are the same, so that their
  /// encoded bytes can be reused.
  const View& view() const { return view_; }

  /// The view becomes a user message of `head` (the summary, and what is to be known besides),
  /// then what was in it from index `keep_from` on; earlier, where that would part a call from its
  /// result. False, and nothing changes, if nothing in `head` can be sent.
  bool compact(std::vector<Block> head, std::size_t keep_from);

  /// Clears old outputs as outputs_to_clear says (view.h). Returns the tokens freed, estimated; 0:
  /// it was not worth it, nothing changed.
  std::int64_t clear_old_outputs(std::int64_t protected_tokens = kProtectedOutputTokens,
                                 std::int64_t least = kLeastClearedTokens);

  /// Each image in the view becomes a text: after an API has refused one. False: there was none.
  bool replace_images(std::string_view note);

  /// Thinking goes out of the view: its signatures are one model's. False: there was none.
  bool strip_thinking();

  /// Size of the next request. Its `measured` is called after the reply was appended.
  TokenCount& tokens() { return tokens_; }
  const TokenCount& tokens() const { return tokens_; }

  /// Indexes into view() after which a prompt cache may be cut: the end of the request before
  /// this one, and the end of this one; after a change in the view, what comes before the change.
  /// Call once per request.
  std::vector<std::size_t> take_cache_points();

  /// What was said since forget_stored(), oldest first.
  const std::vector<MessagePtr>& log() const { return log_; }
  /// Messages since the first one.
  std::size_t log_size() const { return log_begin_ + log_.size(); }
  /// What was done to the view since forget_stored(), oldest first.
  const std::vector<RecordedChange>& changes() const { return changes_; }
  std::size_t changes_size() const { return changes_begin_ + changes_.size(); }
  bool empty() const { return log_size() == 0; }

  /// All of log() and changes() is kept elsewhere: only what is sent stays here.
  void forget_stored();

  /// Whether a model ever called a tool in this session.
  bool has_calls() const { return !tool_use_ids_.empty(); }
  /// Claims `id` if it is not empty and was never used in this session.
  bool claim_tool_use_id(const std::string& id);

 private:
  void append_checked(Message message);
  bool change(ViewChange change);

  std::vector<MessagePtr> log_;
  std::size_t log_begin_ = 0;
  MessagePtr
      last_;  // said (after restored(): with what the view joins to it); nullptr: nothing yet
  View view_;
  std::vector<RecordedChange> changes_;
  std::size_t changes_begin_ = 0;
  TokenCount tokens_;
  std::unordered_set<std::string> tool_use_ids_;
  std::size_t previous_end_ = 0;  // messages of the view that a request before had; 0: none
};

}  // namespace agentd::context
