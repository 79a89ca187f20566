// SessionStore: sessions in one SQLite file, which several agentd processes may share. Each call is
// one transaction; it blocks on the disk, so only the store's thread makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "context/view_change.h"
#include "message/message.h"
#include "session/database.h"
#include "session/store_checkpoints.h"

namespace agentd::session {

/// A session without what was said in it. Times are milliseconds of the wall clock.
struct SessionRow {
  std::string id;
  std::optional<std::string> lineage;  // the session it was forked from
  std::string workspace;
  std::string title;
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::string state;  // JSON: model, mode, grants and so on
};

/// Something that clients were told.
struct Part {
  std::int64_t number = 0;  // in the session, rising
  std::string run;
  std::string method;         // agent/textDelta, ...
  std::string params;         // JSON
  std::int64_t log_size = 0;  // messages in the log then: where a fork or rewind cuts
};

/// A block of a reply that was not finished when agentd was.
struct DraftBlock {
  Block block;
  bool began = false;                     // of a call: it may have run
  std::optional<ToolResultBlock> result;  // of a call that was settled
};

/// All of a session.
struct StoredSession {
  SessionRow row;
  std::vector<MessagePtr> log;
  std::vector<context::RecordedChange> changes;
  std::vector<DraftBlock> draft;
};

struct SessionQuery {
  std::optional<std::string> workspace;
  std::optional<std::string> title_has;        // case aside
  std::optional<std::int64_t> updated_before;  // for the next page
  int limit = 50;
};

class SessionStore {
 public:
  /// Opens or makes the file at `path`, whose directory exists.
  static Result<SessionStore> open(const std::string& path, Durability durability);

  // ---- writing ----

  /// Error: conflict if there is one of that id.
  Result<void> add(const SessionRow& row);
  /// Title, state and time of a session that is there.
  Result<void> update(const SessionRow& row);
  /// `messages` follow the `first` that are stored; the draft is void with them.
  Result<void> append(const std::string& session, std::size_t first,
                      const std::vector<MessagePtr>& messages);
  Result<void> append_change(const std::string& session, std::size_t number,
                             const context::RecordedChange& change);
  Result<void> put_draft(const std::string& session, int number, const Block& block);
  Result<void> draft_began(const std::string& session, const std::string& tool_use_id);
  Result<void> draft_settled(const std::string& session, const ToolResultBlock& result);
  Result<void> discard_draft(const std::string& session);
  Result<void> add_part(const std::string& session, const Part& part);
  Result<void> rename(const std::string& session, const std::string& title);
  Result<void> remove(const std::string& session);

  // ---- reading ----

  /// Error: not_found.
  Result<StoredSession> load(const std::string& session);
  /// At most `limit` parts whose number is above `after`, in order.
  Result<std::vector<Part>> parts(const std::string& session, std::int64_t after, int limit);
  /// The latest first.
  Result<std::vector<SessionRow>> list(const SessionQuery& query);

  /// What files were before the agent changed them. Must not outlive the store.
  CheckpointTable checkpoints() { return CheckpointTable(database_); }

 private:
  explicit SessionStore(Database database) : database_(std::move(database)) {}

  /// Not found if the last statement changed no row.
  Result<void> found(const std::string& session) const;
  Result<SessionRow> row(const std::string& session);
  Result<std::vector<MessagePtr>> log(const std::string& session);
  Result<std::vector<context::RecordedChange>> changes(const std::string& session);
  Result<std::vector<DraftBlock>> draft(const std::string& session);

  Database database_;
};

}  // namespace agentd::session
