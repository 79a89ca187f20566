// CheckpointTable: what files were before the agent changed them, and what the last rewind took
// away, in the store's tables. Each call is one transaction, but for those that ask for one of the
// caller's; the store's thread, as the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/checkpoints.h"
#include "platform/read_set.h"
#include "session/database.h"

namespace agentd::session {

/// One change of a file: what it was and what was made of it.
struct FileChange {
  std::string path;
  agent::FileBefore::Was was = agent::FileBefore::Was::absent;
  std::uint32_t mode = 0;                       // permission bits it had
  std::optional<platform::ContentHash> before;  // of what it had; set if it was kept
  bool stored = false;                          // `before` is still there to be restored
  std::optional<platform::ContentHash> after;   // nullopt: it was removed
};

/// Whose change it was, and when.
struct CheckpointOrigin {
  std::string run;
  std::string tool_use_id;
  /// Messages in the log when the request was made whose reply asked for the change: a log that is
  /// cut to this size or a smaller one is of a time before it.
  std::int64_t log_size = 0;
};

/// The last rewind.
struct StoredRewind {
  std::vector<FileChange> files;
  bool finished = false;  // false: it is under way, or agentd died in it
};

class CheckpointTable {
 public:
  /// Contents of one session; above it those go that were not needed for longest.
  static constexpr std::int64_t kMostKept = 256 * 1024 * 1024;  // bytes

  explicit CheckpointTable(Database& database, std::int64_t most_kept = kMostKept)
      : database_(&database), most_kept_(most_kept) {}

  /// Keeps what a file was. A rewind can no longer be undone from here on.
  Result<void> add(const std::string& session, const CheckpointOrigin& origin,
                   const agent::FileBefore& before);

  /// Changes that were made when the log had `log_size` messages or more, and were not taken back;
  /// in the order in which they were made.
  Result<std::vector<FileChange>> since(const std::string& session, std::int64_t log_size);

  /// Error: not_found if it is not kept any more.
  Result<std::string> content(const std::string& session, const platform::ContentHash& hash);

  /// The log was cut to `log_size` and the files are as they were (they were not rewound, or that
  /// was undone): the changes of what was cut count as made at the cut, so that sizes of the log
  /// keep telling their order.
  Result<void> log_was_cut(const Transaction& whole, const std::string& session,
                           std::int64_t log_size);
  /// The last cut was undone: they count again as made when they were.
  Result<void> log_cut_was_undone(const std::string& session);
  /// It cannot be undone any more.
  Result<void> forget_cut(const std::string& session);

  // ---- a rewind: begin, change the files, finish or drop ----

  struct TakenAway {
    FileChange change;    // by the rewind
    std::string content;  // what it takes away
  };
  /// In place of an earlier one, which cannot be undone any more.
  Result<void> begin_rewind(const std::string& session, const std::vector<TakenAway>& files);
  /// The changes since(log_size) are taken back.
  Result<void> finish_rewind(const Transaction& whole, const std::string& session,
                             std::int64_t log_size);
  Result<std::optional<StoredRewind>> last_rewind(const std::string& session);
  /// It was undone, or put back half way: what it took back counts again.
  Result<void> drop_rewind(const Transaction& whole, const std::string& session);
  /// It cannot be undone any more.
  Result<void> forget_rewind(const Transaction& whole, const std::string& session);

 private:
  Result<std::int64_t> last_number(const std::string& session);
  Result<void> put_checkpoint(const std::string& session, std::int64_t number,
                              const CheckpointOrigin& origin, const agent::FileBefore& before);
  Result<void> put_content(const std::string& session, std::int64_t used,
                           const platform::ContentHash& hash, std::string_view content);
  Result<void> put_rewound(const std::string& session, const FileChange& change);
  Result<void> make_room(const std::string& session);
  /// The bytes that it had.
  Result<std::int64_t> drop_oldest(const std::string& session);
  Result<void> sweep(const std::string& session);
  Result<void> run(std::string_view sql, const std::string& session);

  Database* database_;
  std::int64_t most_kept_;
};

}  // namespace agentd::session
