#include "session/database.h"

#include <chrono>
#include <thread>
#include <utility>

namespace agentd::session {
namespace {

constexpr int kBusyMs = 1500;
constexpr int kImpatientMs = 50;

Code code_of(int result) {
  switch (result & 0xff) {  // the primary code of an extended one
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
      return Code::unavailable;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return Code::permission_denied;
    case SQLITE_CONSTRAINT:
      return Code::conflict;
    case SQLITE_TOOBIG:
      return Code::too_large;
    default:
      return Code::io;
  }
}

}  // namespace

// ---- Statement ---------------------------------------------------------------------------------

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement::~Statement() {
  if (handle_ == nullptr) return;
  database_->library().reset(handle_);
  database_->library().clear_bindings(handle_);
}

// A bind fails only for a wrong position or for want of memory; the step then tells.
Statement& Statement::bind(int position, std::int64_t value) {
  database_->library().bind_int64(handle_, position, value);
  return *this;
}

Statement& Statement::bind(int position, std::string_view text) {
  database_->library().bind_text64(handle_, position, text.data() == nullptr ? "" : text.data(),
                                   text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(int position, std::string_view bytes) {
  database_->library().bind_blob64(handle_, position, bytes.data() == nullptr ? "" : bytes.data(),
                                   bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind_optional(int position, const std::optional<std::string>& text) {
  if (text) return bind(position, std::string_view(*text));
  database_->library().bind_null(handle_, position);
  return *this;
}

Result<bool> Statement::step() {
  const int result = database_->library().step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return database_->failure();
}

Result<void> Statement::run() {
  auto row = step();
  if (!row) return row.error();
  return {};
}

std::int64_t Statement::integer(int column) const {
  return database_->library().column_int64(handle_, column);
}

std::string_view Statement::text(int column) const {
  const auto* text = database_->library().column_text(handle_, column);
  if (text == nullptr) return {};
  const int bytes = database_->library().column_bytes(handle_, column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

std::string_view Statement::blob(int column) const {
  const auto* bytes = database_->library().column_blob(handle_, column);
  if (bytes == nullptr) return {};
  const int size = database_->library().column_bytes(handle_, column);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return database_->library().column_type(handle_, column) == SQLITE_NULL;
}

// ---- Database ----------------------------------------------------------------------------------

Result<Database> Database::open(const std::string& path, Durability durability) {
  const auto sqlite = sqlite_library();
  if (!sqlite) return sqlite.error();
  Database database(**sqlite, path);
  sqlite3* handle = nullptr;
  const int opened =
      (*sqlite)->open_v2(path.c_str(), &handle,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database.handle_ = std::unique_ptr<sqlite3, CloseDatabase>(handle, CloseDatabase{*sqlite});
  if (opened != SQLITE_OK) return database.failure();
  (*sqlite)->extended_result_codes(handle, 1);
  (*sqlite)->busy_timeout(handle, kBusyMs);
  const std::string synchronous = durability == Durability::full ? "FULL" : "NORMAL";
  auto prepared = database.execute("PRAGMA synchronous=" + synchronous +
                                   "; PRAGMA foreign_keys=ON; PRAGMA cell_size_check=ON;");
  if (!prepared) return prepared.error();
  return database;
}

// Of two processes that switch a new file at once SQLite refuses one without waiting for the other.
Result<void> Database::write_ahead() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMs);
  while (true) {
    auto switched = execute("PRAGMA journal_mode=WAL");
    if (switched || !is_busy() || std::chrono::steady_clock::now() >= until) return switched;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool Database::is_busy() const {
  return (sqlite_->extended_errcode(handle_.get()) & 0xff) == SQLITE_BUSY;
}

Database::~Database() {
  for (const auto& [sql, statement] : prepared_) sqlite_->finalize(statement);
}

Result<Statement> Database::prepare(std::string_view sql) {
  auto found = prepared_.find(sql);
  if (found == prepared_.end()) {
    sqlite3_stmt* statement = nullptr;
    const int result = sqlite_->prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                           SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (result != SQLITE_OK) return failure();
    found = prepared_.emplace(sql, statement).first;
  }
  return Statement(*this, found->second);
}

Result<void> Database::execute(const std::string& sql) {
  const int result = sqlite_->exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return failure();
  return {};
}

Result<void> Database::begin_writing() {
  auto begun = execute("BEGIN IMMEDIATE");
  const bool busy = !begun && is_busy();
  if (busy != std::exchange(impatient_, busy)) {
    sqlite_->busy_timeout(handle_.get(), busy ? kImpatientMs : kBusyMs);
  }
  return begun;
}

int Database::changes() const {
  return sqlite_->changes(handle_.get());
}

Error Database::failure() const {
  const int code = handle_ ? sqlite_->extended_errcode(handle_.get()) : SQLITE_NOMEM;
  const std::string why = handle_ ? sqlite_->errmsg(handle_.get()) : "out of memory";
  return make_error(code_of(code), path_ + ": " + why + " (SQLite " + std::to_string(code) + ")",
                    path_);
}

// ---- Transaction -------------------------------------------------------------------------------

Result<Transaction> Transaction::begin(Database& database) {
  auto begun = database.begin_writing();
  if (!begun) return begun.error();
  return Transaction(database);
}

Result<Transaction> Transaction::begin_reading(Database& database) {
  auto begun = database.execute("BEGIN");
  if (!begun) return begun.error();
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  // SQLite has rolled back itself after some faults; then there is nothing to undo.
  static_cast<void>(database_->execute("ROLLBACK"));
}

Result<void> Transaction::commit() {
  auto committed = database_->execute("COMMIT");
  if (!committed) return committed;
  database_ = nullptr;
  return {};
}

}  // namespace agentd::session
