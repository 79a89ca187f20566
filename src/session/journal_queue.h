// What a journal has to write, as values, and the writing of them. Filled by any thread, emptied by
// the store's. Outlives the journal while the store's thread has work for it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "context/view_change.h"
#include "message/message.h"
#include "session/session_lock.h"
#include "session/store.h"

namespace agentd::session {

struct MessagesSaid {
  std::size_t first = 0;
  std::vector<MessagePtr> messages;
};
struct ViewChanged {
  std::size_t number = 0;
  context::RecordedChange change;
};
struct BlockWhole {
  int number = 0;
  Block block;
};
struct CallBegan {
  std::string tool_use_id;
};
struct CallSettled {
  ToolResultBlock result;
};
struct ReplyDropped {};
/// The session's row is this; it is made if it is not there.
struct RowChanged {
  SessionRow row;
  bool is_new = false;
};

using JournalEntry = std::variant<RowChanged, MessagesSaid, ViewChanged, BlockWhole, CallBegan,
                                  CallSettled, ReplyDropped, Part>;

class JournalQueue {
 public:
  JournalQueue(std::string session, std::string writer, std::string store_directory,
               std::optional<SessionLock> lock)
      : session_(std::move(session)),
        writer_(std::move(writer)),
        store_directory_(std::move(store_directory)),
        lock_(std::move(lock)) {}

  // Any thread.
  /// True if the store's thread must be told that there is something.
  bool add(JournalEntry entry);
  bool ask(std::function<void(Result<void>)> done);

  // The store's thread alone.
  /// Everything that was added before, in one transaction; then whoever asked is answered.
  Result<void> write(const Result<SessionStore*>& store);
  /// Error: session_locked.
  Result<bool> lock();  // true: nobody else has held it since
  void unlock() { lock_.reset(); }

  const std::string& session() const { return session_; }

  /// What may wait for a disk that does not take it. Past that the session is not stored any more:
  /// what is stored of it ends where the trouble began.
  static constexpr std::size_t kMostWaiting = 20'000;  // entries

 private:
  using Waiters = std::vector<std::function<void(Result<void>)>>;

  Waiters take();
  Result<void> write_waiting(const Result<SessionStore*>& store);
  Result<void> write_all(SessionStore& store);

  const std::string session_;
  const std::string writer_;
  const std::string store_directory_;

  std::mutex mutex_;
  std::vector<JournalEntry> added_;  // guarded, as are the next two
  Waiters asked_;
  bool told_ = false;  // the store's thread knows

  std::deque<JournalEntry> waiting_;  // the store's thread's, from here on
  std::optional<SessionLock> lock_;
  std::optional<Error> given_up_;
};

}  // namespace agentd::session
