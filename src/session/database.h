// Database and Statement: SQLite as values that clean up after themselves and fail with an Error.
// One thread at a time, the store's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "session/sqlite_library.h"

namespace agentd::session {

class Database;

/// A prepared statement in use: bind, step through the rows, read columns. Resets itself at the end
/// of its scope and stays prepared for the next use. The database outlives it.
class Statement {
 public:
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement(Statement&& other) noexcept;
  ~Statement();

  /// Positions count from 1. What is bound is copied.
  Statement& bind(int position, std::int64_t value);
  Statement& bind(int position, std::string_view text);
  Statement& bind_blob(int position, std::string_view bytes);
  Statement& bind_optional(int position, const std::optional<std::string>& text);

  /// True: there is a row to read. False: there are no more.
  Result<bool> step();
  /// For a statement that gives no rows.
  Result<void> run();

  /// Columns count from 0. A null reads as 0, or as an empty text. The view lives until the next
  /// step.
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  Database* database_;
  sqlite3_stmt* handle_;
};

/// What is needed of the disk at a commit.
enum class Durability {
  normal,  // a kill loses nothing, a power cut perhaps the last moments, never the file
  full,    // neither loses anything: each commit waits for the disk
};

struct CloseDatabase {
  const SqliteLibrary* sqlite = nullptr;
  void operator()(sqlite3* handle) const { sqlite->close_v2(handle); }
};

class Database {
 public:
  /// Opens or makes the file; changes nothing in it. Errors: unavailable (no SQLite), io.
  static Result<Database> open(const std::string& path, Durability durability);
  /// To write-ahead mode, in which readers and a writer do not wait for each other; before anything
  /// is written. Errors: unavailable (locked for longer than it is waited for, not a database), io.
  Result<void> write_ahead();

  Database(Database&& other) noexcept = default;
  ~Database();

  /// A statement of ours, prepared once. One use at a time.
  Result<Statement> prepare(std::string_view sql);
  /// One or several statements that give no rows.
  Result<void> execute(const std::string& sql);
  /// Begins a transaction that writes. Another process may hold the lock while it commits, which
  /// takes milliseconds; one that holds it for long is waited for once, and then hardly, until it
  /// lets go.
  Result<void> begin_writing();
  /// Rows that the last statement changed.
  int changes() const;

  const SqliteLibrary& library() const { return *sqlite_; }
  /// The fault of the last call, in words with the file.
  Error failure() const;

 private:
  Database(const SqliteLibrary& sqlite, std::string path)
      : sqlite_(&sqlite), path_(std::move(path)) {}

  /// The last call failed as another connection has the file.
  bool is_busy() const;

  const SqliteLibrary* sqlite_;
  std::string path_;
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
  std::map<std::string, sqlite3_stmt*, std::less<>> prepared_;
  bool impatient_ = false;  // the lock was not to be had the last time
};

/// All or nothing: rolled back at the end of the scope unless it was committed.
class Transaction {
 public:
  /// Takes the write lock at once, so that it cannot fail for another writer half way.
  static Result<Transaction> begin(Database& database);
  /// For reading: sees the file as it is at the first read, whoever writes meanwhile.
  static Result<Transaction> begin_reading(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace agentd::session
