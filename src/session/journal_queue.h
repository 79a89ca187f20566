// The entries of a journal on their way to the disk. Filled by any thread, emptied by the store's.
// Outlives the journal while the store's thread has work for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/journal_entry.h"
#include "session/session_lock.h"
#include "session/store.h"

namespace agentd::session {

/// What may wait for a disk that does not take it. Above it the parts go and none is taken until
/// all is written and a run begins: what clients are told again has a gap. Above twice that the
/// session is not stored any more: what is stored of it ends where the trouble began.
struct QueueLimits {
  std::size_t entries = 20'000;
  std::size_t bytes = std::size_t{32} * 1024 * 1024;
};

class JournalQueue {
 public:
  JournalQueue(std::string session, std::string writer, std::string store_directory,
               std::optional<SessionLock> lock, QueueLimits limits = {})
      : session_(std::move(session)),
        writer_(std::move(writer)),
        store_directory_(std::move(store_directory)),
        limits_(limits),
        lock_(std::move(lock)),
        was_held_(lock_.has_value()) {}

  // Any thread.
  /// True if the store's thread must be told that there is something.
  bool add(JournalEntry entry);
  bool ask(std::function<void(Result<void>)> done);

  // The store's thread alone.
  enum class Try {
    now,
    if_due,  // not within kRetryAfter of a failure, unless somebody asked
  };
  /// Everything that was added before, in one transaction; then whoever asked is answered.
  Result<void> write(const Result<SessionStore*>& store, Try when);
  /// Takes the session. True: nobody else has held it since. Error: session_locked.
  Result<bool> lock();
  /// Lets go of it. What comes later waits for the next lock().
  void release();

  static constexpr std::chrono::seconds kRetryAfter{1};

 private:
  using Waiters = std::vector<std::function<void(Result<void>)>>;
  struct Held {
    JournalEntry entry;
    std::size_t bytes = 0;
  };
  enum class Parts { taken, dropped, taken_from_next_run };

  // Under the mutex.
  void take_in(JournalEntry entry);
  bool takes(const JournalEntry& entry);
  bool above(std::size_t times) const;
  template <class Entries>
  void drop_parts(Entries& entries);

  Waiters take();
  bool is_due() const;
  Result<void> try_to_write(const Result<SessionStore*>& store);
  Result<void> write_waiting(const Result<SessionStore*>& store);
  Result<void> hold();
  Result<void> write_all(SessionStore& store);
  void clear_waiting();
  void failed(const Error& error);
  void give_up(Error error);

  const std::string session_;
  const std::string writer_;
  const std::string store_directory_;
  const QueueLimits limits_;

  std::mutex mutex_;
  std::vector<Held> added_;  // guarded, as is all up to told_
  Waiters asked_;
  std::size_t entries_ = 0;  // in added_ and waiting_
  std::size_t bytes_ = 0;
  Parts parts_ = Parts::taken;
  bool too_much_ = false;  // nothing is taken any more
  bool told_ = false;      // the store's thread knows

  std::deque<Held> waiting_;  // the store's thread's, from here on
  std::optional<SessionLock> lock_;
  bool was_held_;  // at any time
  bool released_ = false;
  std::optional<Error> failure_;  // of the last try
  std::chrono::steady_clock::time_point failed_at_;
  std::optional<Error> given_up_;
};

}  // namespace agentd::session
