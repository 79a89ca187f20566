// StoreThread: the thread that owns the SQLite connection. Everybody else posts jobs, which it does
// one after the other, and gets the answer by a mailbox of their own. It opens the file for the
// first job, so that a process that keeps nothing never loads SQLite.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "config/user_directories.h"
#include "session/store.h"

namespace agentd::session {

class StoreThread {
 public:
  /// On the store's thread: the store, or why it cannot be had (unavailable). A store that
  /// could not be opened is tried again, at most every `retry_after`. Answering is the last thing
  /// that a job does: one that throws is done once more, with the error in place of the store.
  using Job = std::function<void(const Result<SessionStore*>& store)>;

  /// The directory of `path` is made, for its user alone, where it is not there.
  StoreThread(std::string path, Durability durability,
              std::chrono::milliseconds retry_after = kRetryAfter);
  ~StoreThread();  // finishes
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  /// Any thread; never waits. After finish() nothing is done any more.
  void post(Job job);

  /// Waits for what was posted, at most kLastWait: a disk that does not answer must not hold the
  /// process. Then its thread counts as left behind (agent/run.h). The owner's thread.
  void finish();

  /// The directory the sessions are kept in.
  const std::string& directory() const { return directory_; }

  static constexpr std::chrono::seconds kRetryAfter{5};
  static constexpr std::chrono::seconds kLastWait{2};

 private:
  struct State;

  std::string directory_;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

/// `sessions.db` in the user's data directory; empty if there is none.
std::string store_path(const config::Environment& environment);

}  // namespace agentd::session
