// Storage: how this process keeps its sessions. It begins a journal for a new one and opens those
// that are stored; the work is the store's thread's. Owned by the server or by `agentd run`; the
// owner's thread only, but for the answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/engine.h"
#include "session/journal.h"
#include "session/opening.h"
#include "session/session_lock.h"
#include "session/store_thread.h"

namespace agentd::server {

class Storage {
 public:
  /// `wanted` false: nothing is stored or read.
  Storage(Engine& engine, bool wanted);

  /// nullptr: sessions are kept in memory alone. The thread begins with the first call.
  std::shared_ptr<session::StoreThread> store();

  /// The journal of a new session; nullptr if it is not to be stored. `name`: it is reserved.
  std::shared_ptr<session::SessionJournal> begin(const std::string& id,
                                                 const std::vector<Block>& prompt,
                                                 const agent::Conversation& conversation,
                                                 const config::Settings& settings,
                                                 std::optional<session::SessionLock> name);

  /// Waits for what is still to be written, as long as StoreThread does. Nothing follows.
  void close() {
    if (store_) store_->finish();
  }

  /// Names this process in lock files.
  const std::string& writer() const { return writer_; }

  using Opened = Result<session::OpenedSession>;
  /// `done` is called once, on the store's thread. Error: as open_session().
  void open(const std::string& id, std::function<void(Opened)> done);
  using Name = Result<session::SessionLock>;
  /// The same for a request that makes the session where there is none: then its name is taken, so
  /// that of several processes one makes it. `name` counts if `opened` is not_found.
  void open_or_reserve(const std::string& id, std::function<void(Opened opened, Name name)> done);

 private:
  Engine& engine_;
  bool wanted_;
  std::string writer_;  // names this process in lock files
  std::shared_ptr<session::StoreThread> store_;
};

/// Which stored session a command goes on with.
struct SessionWish {
  std::string id;  // empty: the last one of the directory
  bool fork = false;
  std::string fork_id;   // what the copy is called
  std::int64_t now = 0;  // ms of the wall clock
};

/// Waits for the store. Error: as open(), and not_found if the directory has none.
Storage::Opened open_for_run(Storage& storage, const std::string& workspace,
                             const SessionWish& wish);

/// The first words of `prompt`, as a title: one line, at most 80 characters.
std::string title_of(const std::vector<Block>& prompt);

}  // namespace agentd::server
