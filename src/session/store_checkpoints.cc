#include "session/store_checkpoints.h"

#include <string_view>
#include <utility>

#include "session/content_hash_text.h"

namespace agentd::session {
namespace {

using agent::FileBefore;
using platform::ContentHash;

std::optional<ContentHash> hash_at(const Statement& at, int column) {
  if (at.is_null(column)) return std::nullopt;
  return hash_of_text(at.text(column));
}

std::optional<std::string> text_of(const std::optional<ContentHash>& hash) {
  if (!hash) return std::nullopt;
  return text_of_hash(*hash);
}

// The numbers are stored: they stay what they are.
std::int64_t number_of(FileBefore::Was was) {
  switch (was) {
    case FileBefore::Was::absent:
      return 0;
    case FileBefore::Was::kept:
      return 1;
    case FileBefore::Was::not_kept:
      return 2;
  }
  return 2;
}

FileBefore::Was was_of(std::int64_t number) {
  if (number == 0) return FileBefore::Was::absent;
  return number == 1 ? FileBefore::Was::kept : FileBefore::Was::not_kept;
}

}  // namespace

// ---- keeping -----------------------------------------------------------------------------------

Result<void> CheckpointTable::add(const std::string& session, const CheckpointOrigin& origin,
                                  const FileBefore& before) {
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  auto done = forget_rewind(*transaction, session);
  if (!done) return done;
  const auto last = last_number(session);
  if (!last) return last.error();
  done = put_checkpoint(session, *last + 1, origin, before);
  if (!done) return done;
  if (before.was == FileBefore::Was::kept) {
    done = put_content(session, *last + 1, platform::hash_content(before.content), before.content);
    if (done) done = make_room(session);
    if (!done) return done;
  }
  return transaction->commit();
}

Result<std::int64_t> CheckpointTable::last_number(const std::string& session) {
  auto statement = database_->prepare("SELECT max(number) FROM checkpoint WHERE session=?");
  if (!statement) return statement.error();
  auto there = statement->bind(1, session).step();
  if (!there) return there.error();
  return statement->integer(0);
}

Result<void> CheckpointTable::put_checkpoint(const std::string& session, std::int64_t number,
                                             const CheckpointOrigin& origin,
                                             const FileBefore& before) {
  auto statement = database_->prepare(
      "INSERT INTO checkpoint(session, number, run, tool_use_id, log_size, path, was, mode, before,"
      " intended) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!statement) return statement.error();
  std::optional<std::string> hash;
  if (before.was == FileBefore::Was::kept)
    hash = text_of_hash(platform::hash_content(before.content));
  statement->bind(1, session).bind(2, number).bind(3, origin.run).bind(4, origin.tool_use_id);
  statement->bind(5, origin.log_size).bind(6, before.path).bind(7, number_of(before.was));
  statement->bind(8, std::int64_t{before.mode}).bind_optional(9, hash);
  return statement->bind(10, text_of_hash(before.intended)).run();
}

Result<void> CheckpointTable::put_content(const std::string& session, std::int64_t used,
                                          const ContentHash& hash, std::string_view content) {
  auto statement = database_->prepare(
      "INSERT INTO file_content(session, hash, used, size, content) VALUES(?, ?, ?, ?, ?)"
      " ON CONFLICT(session, hash) DO UPDATE SET used=excluded.used");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, text_of_hash(hash)).bind(3, used);
  return statement->bind(4, static_cast<std::int64_t>(content.size())).bind_blob(5, content).run();
}

Result<void> CheckpointTable::make_room(const std::string& session) {
  auto statement = database_->prepare("SELECT sum(size) FROM file_content WHERE session=?");
  if (!statement) return statement.error();
  auto there = statement->bind(1, session).step();
  if (!there) return there.error();
  std::int64_t kept = statement->integer(0);
  while (kept > most_kept_) {
    const auto freed = drop_oldest(session);
    if (!freed) return freed.error();
    kept -= *freed;
  }
  return {};
}

Result<std::int64_t> CheckpointTable::drop_oldest(const std::string& session) {
  auto oldest = database_->prepare(
      "SELECT rowid, size FROM file_content WHERE session=? AND size>0 ORDER BY used, rowid"
      " LIMIT 1");
  if (!oldest) return oldest.error();
  auto there = oldest->bind(1, session).step();
  if (!there) return there.error();
  auto statement = database_->prepare("DELETE FROM file_content WHERE rowid=?");
  if (!statement) return statement.error();
  auto done = statement->bind(1, oldest->integer(0)).run();
  if (!done) return done.error();
  return oldest->integer(1);
}

// ---- looking -----------------------------------------------------------------------------------

Result<std::vector<FileChange>> CheckpointTable::since(const std::string& session,
                                                       std::int64_t log_size) {
  auto statement = database_->prepare(
      "SELECT path, was, mode, before, intended, EXISTS(SELECT 1 FROM file_content c"
      "  WHERE c.session=checkpoint.session AND c.hash=checkpoint.before)"
      " FROM checkpoint WHERE session=? AND log_size>=? AND undone=0 ORDER BY number");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, log_size);
  std::vector<FileChange> changes;
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return changes;
    changes.push_back({std::string(statement->text(0)), was_of(statement->integer(1)),
                       static_cast<std::uint32_t>(statement->integer(2)), hash_at(*statement, 3),
                       statement->integer(5) != 0, hash_at(*statement, 4)});
  }
}

Result<std::string> CheckpointTable::content(const std::string& session, const ContentHash& hash) {
  auto statement =
      database_->prepare("SELECT content FROM file_content WHERE session=? AND hash=?");
  if (!statement) return statement.error();
  auto there = statement->bind(1, session).bind(2, text_of_hash(hash)).step();
  if (!there) return there.error();
  if (!*there) return make_error(Code::not_found, "a content of a file is not kept any more");
  return std::string(statement->blob(0));
}

Result<void> CheckpointTable::log_was_cut(const Transaction&, const std::string& session,
                                          std::int64_t log_size) {
  auto done = forget_cut(session);
  if (!done) return done;
  auto statement = database_->prepare(
      "UPDATE checkpoint SET before_cut=log_size, log_size=?2 WHERE session=?1 AND log_size>?2");
  if (!statement) return statement.error();
  return statement->bind(1, session).bind(2, log_size).run();
}

Result<void> CheckpointTable::forget_cut(const std::string& session) {
  return run("UPDATE checkpoint SET before_cut=NULL WHERE session=? AND before_cut IS NOT NULL",
             session);
}

Result<void> CheckpointTable::log_cut_was_undone(const std::string& session) {
  return run(
      "UPDATE checkpoint SET log_size=before_cut, before_cut=NULL"
      " WHERE session=? AND before_cut IS NOT NULL",
      session);
}

// ---- a rewind ----------------------------------------------------------------------------------

Result<void> CheckpointTable::begin_rewind(const std::string& session,
                                           const std::vector<TakenAway>& files) {
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  auto done = forget_rewind(*transaction, session);
  if (done) done = run("INSERT INTO file_rewind(session) VALUES(?)", session);
  if (!done) return done;
  const auto last = last_number(session);
  if (!last) return last.error();
  for (const TakenAway& file : files) {
    done = put_rewound(session, file.change);
    if (done && file.change.before) {
      done = put_content(session, *last, *file.change.before, file.content);
    }
    if (!done) return done;
  }
  return transaction->commit();
}

Result<void> CheckpointTable::put_rewound(const std::string& session, const FileChange& change) {
  auto statement = database_->prepare(
      "INSERT INTO rewound_file(session, path, was, mode, became) VALUES(?, ?, ?, ?, ?)");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, change.path).bind_optional(3, text_of(change.before));
  return statement->bind(4, std::int64_t{change.mode})
      .bind_optional(5, text_of(change.after))
      .run();
}

Result<void> CheckpointTable::finish_rewind(const Transaction&, const std::string& session,
                                            std::int64_t log_size) {
  auto statement = database_->prepare(
      "UPDATE checkpoint SET undone=1 WHERE session=? AND log_size>=? AND undone=0");
  if (!statement) return statement.error();
  auto done = statement->bind(1, session).bind(2, log_size).run();
  return done ? run("UPDATE file_rewind SET finished=1 WHERE session=?", session) : done;
}

Result<std::optional<StoredRewind>> CheckpointTable::last_rewind(const std::string& session) {
  auto statement = database_->prepare(
      "SELECT finished, path, was, mode, became, EXISTS(SELECT 1 FROM file_content c"
      "  WHERE c.session=r.session AND c.hash=f.was)"
      " FROM file_rewind r LEFT JOIN rewound_file f ON f.session=r.session WHERE r.session=?"
      " ORDER BY path");
  if (!statement) return statement.error();
  statement->bind(1, session);
  std::optional<StoredRewind> rewind;
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return rewind;
    if (!rewind) rewind.emplace();
    rewind->finished = statement->integer(0) != 0;
    if (statement->is_null(1)) continue;  // it changed no file
    rewind->files.push_back({std::string(statement->text(1)), FileBefore::Was::kept,
                             static_cast<std::uint32_t>(statement->integer(3)),
                             hash_at(*statement, 2), statement->integer(5) != 0,
                             hash_at(*statement, 4)});
  }
}

Result<void> CheckpointTable::drop_rewind(const Transaction&, const std::string& session) {
  auto done = run("UPDATE checkpoint SET undone=0 WHERE session=? AND undone=1", session);
  if (done) done = run("DELETE FROM file_rewind WHERE session=?", session);
  return done ? sweep(session) : done;
}

// From now on nothing can bring back what it took away.
Result<void> CheckpointTable::forget_rewind(const Transaction&, const std::string& session) {
  auto done = run("DELETE FROM file_rewind WHERE session=?", session);
  if (!done || database_->changes() == 0) return done;
  done = run("DELETE FROM checkpoint WHERE session=? AND undone=1", session);
  return done ? sweep(session) : done;
}

// Contents that nothing needs.
Result<void> CheckpointTable::sweep(const std::string& session) {
  return run(
      "DELETE FROM file_content WHERE session=?1"
      " AND hash NOT IN (SELECT before FROM checkpoint WHERE session=?1 AND before IS NOT NULL)"
      " AND hash NOT IN (SELECT was FROM rewound_file WHERE session=?1)",
      session);
}

Result<void> CheckpointTable::run(std::string_view sql, const std::string& session) {
  auto statement = database_->prepare(sql);
  if (!statement) return statement.error();
  return statement->bind(1, session).run();
}

}  // namespace agentd::session
