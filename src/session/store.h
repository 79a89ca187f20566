// SessionStore: sessions in one SQLite file, which several agentd processes may share. Each call is
// one statement, or several that are a part of a transaction of the caller's: where they must be,
// the call asks for it. It blocks on the disk, so only the store's thread makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context/history.h"
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
  context::StoredHistory history;  // from the last compaction on
  std::vector<DraftBlock> draft;
};

/// Where a page of the list ended: the next one begins after that session. Two that were updated in
/// the same millisecond stand in the order of their ids, so none is skipped or told twice.
struct ListPosition {
  std::int64_t updated = 0;
  std::string id;
};

struct SessionQuery {
  std::optional<std::string> workspace;
  std::optional<std::string> title_has;  // the case of ASCII letters aside
  std::optional<ListPosition> after;
  int limit = 50;
};

/// A point in a session, at a part: what is before it stays, that part and what came after it goes.
/// The size of the log alone would not do: a run ends and the next one begins with the same log.
struct Cut {
  std::int64_t part = 0;      // number of the first part that goes
  std::int64_t log_size = 0;  // messages of the log that stay
};

/// How far an export is; starts at the beginning.
struct ExportPosition {
  bool header_told = false;
  std::int64_t message = 0;  // the next ones' numbers
  std::int64_t change = 0;
  std::int64_t part = 0;
};

class SessionStore {
  using ParamsAre = std::function<bool(std::string_view params)>;

 public:
  /// Opens or makes the file at `path`, whose directory exists.
  static Result<SessionStore> open(const std::string& path, Durability durability);

  /// What is written until it is committed is written together or not at all.
  Result<Transaction> begin() { return Transaction::begin(database_); }

  // ---- writing ----

  /// Error: conflict if there is one of that id.
  Result<void> add(const SessionRow& row);
  /// State and time of a session that is there.
  Result<void> update(const SessionRow& row);
  /// `messages` follow the `first` that are stored; the draft is void with them. In a transaction
  /// of the caller's.
  Result<void> append(const std::string& session, std::size_t first,
                      const std::vector<MessagePtr>& messages);
  /// The messages and changes with these numbers and above go: they are written anew.
  Result<void> clear_log(const std::string& session, std::size_t first_message,
                         std::size_t first_change);
  Result<void> append_change(const std::string& session, std::size_t number,
                             const context::RecordedChange& change);
  Result<void> put_draft(const std::string& session, int number, const Block& block);
  Result<void> draft_began(const std::string& session, const std::string& tool_use_id);
  Result<void> draft_settled(const std::string& session, const ToolResultBlock& result);
  Result<void> discard_draft(const std::string& session);
  Result<void> add_part(const std::string& session, const Part& part);
  Result<void> rename(const std::string& session, const std::string& title);
  Result<void> remove(const std::string& session);

  // ---- copying and cutting ----

  // Parts of the caller's transaction: more goes with them (rewind.h).

  /// The session `new_id` gets what `session` has before the cut; without a cut all of it, the
  /// reply under way included. `now` is its time. Errors: not_found; conflict if that id is taken.
  Result<void> fork(const Transaction& whole, const std::string& session, const std::string& new_id,
                    const std::optional<Cut>& cut, std::int64_t now);
  /// Takes away what is behind the cut, the reply under way included, and keeps it aside, in place
  /// of what an earlier rewind took. Title and state stay. Error: not_found.
  Result<void> rewind(const Transaction& whole, const std::string& session, const Cut& cut);
  /// Brings back what the last rewind took away. Errors: not_found if there is nothing (any more),
  /// conflict if the session has gone on since.
  Result<void> undo_rewind(const Transaction& whole, const std::string& session);
  /// Whether that could be done: its errors, or none.
  Result<void> may_undo_rewind(const std::string& session);
  /// What the last rewind took away is gone for good.
  Result<void> forget_rewind(const std::string& session);

  // ---- reading ----

  /// Error: not_found.
  Result<SessionRow> row(const std::string& session);
  /// Error: not_found.
  Result<StoredSession> load(const std::string& session);
  /// At most `limit` parts whose number is above `after`, in order; fewer where they are large, but
  /// one if there is any.
  Result<std::vector<Part>> parts(const std::string& session, std::int64_t after, int limit);
  /// The parts of the session's last run, in order.
  Result<std::vector<Part>> last_run(const std::string& session);
  /// The latest first, without their states.
  Result<std::vector<SessionRow>> list(const SessionQuery& query);

  /// Where the run began, before its prompt; where a turn of it did; where the message of an
  /// agent/send was told to the model. Of several runs of one id, which clients may use again, the
  /// last is meant. Error: not_found, also for a session that is not there.
  Result<Cut> cut_before_run(const std::string& session, const std::string& run);
  Result<Cut> cut_before_turn(const std::string& session, const std::string& run, int turn);
  Result<Cut> cut_before_message(const std::string& session, const std::string& message_id);

  /// The next lines of the session as JSON Lines, some 256 KB of them, without line ends: a header,
  /// then messages, changes and parts in the order they came about. None: that was all. Reading on
  /// by pages keeps the store free for writers; what was written before the export began is in it.
  /// Error: not_found.
  Result<std::vector<std::string>> export_lines(const std::string& session, ExportPosition& at);
  /// What files were before the agent changed them. Must not outlive the store.
  CheckpointTable checkpoints() { return CheckpointTable(database_); }

 private:
  explicit SessionStore(Database database) : database_(std::move(database)) {}

  /// Not found if the last statement changed no row.
  Result<void> found(const std::string& session) const;
  Result<context::StoredHistory> history(const std::string& session);
  Result<void> read_last_compaction(const std::string& session, context::StoredHistory& history);
  Result<void> read_log(const std::string& session, context::StoredHistory& history);
  Result<void> read_changes(const std::string& session, context::StoredHistory& history);
  Result<void> read_earlier_calls(const std::string& session, context::StoredHistory& history);
  Result<std::vector<DraftBlock>> draft(const std::string& session);
  /// Since it was rewound.
  Result<bool> has_gone_on(const std::string& session);
  /// Of the rows that `sql` finds (number, log_size, params), the first whose params are `wanted`.
  Result<std::optional<Cut>> cut_at(Statement sql, const ParamsAre& wanted);

  Database database_;
};

}  // namespace agentd::session
