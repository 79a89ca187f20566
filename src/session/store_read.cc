// What the store reads.
#include <limits>
#include <utility>

#include "session/message_json.h"
#include "session/store.h"
#include "session/store_faults.h"

namespace agentd::session {
namespace {

constexpr std::string_view kRow =
    "SELECT id, lineage, workspace, title, created, updated, state FROM session ";

SessionRow read_row(const Statement& at) {
  SessionRow row;
  row.id = at.text(0);
  if (!at.is_null(1)) row.lineage = at.text(1);
  row.workspace = at.text(2);
  row.title = at.text(3);
  row.created = at.integer(4);
  row.updated = at.integer(5);
  row.state = at.text(6);
  return row;
}

// A page is not much larger than this, whatever a part holds.
constexpr std::size_t kPageBytes = 256 * 1024;

Result<std::vector<Part>> read_parts(Statement& at, std::size_t most_bytes) {
  std::vector<Part> parts;
  std::size_t bytes = 0;
  while (true) {
    auto there = at.step();
    if (!there) return there.error();
    if (!*there || bytes >= most_bytes) return parts;
    bytes += at.text(3).size();
    parts.push_back({at.integer(0), std::string(at.text(1)), std::string(at.text(2)),
                     std::string(at.text(3)), at.integer(4)});
  }
}

Error unexpected(std::string what) {
  return make_error(Code::invalid_input, "a draft has " + std::move(what));
}

// A message of one block.
Result<Block> block_from_json(std::string_view json) {
  auto message = message_from_json(json);
  if (!message) return message.error();
  if (message->blocks.size() != 1) return unexpected("not one block where it should");
  return std::move(message->blocks.front());
}

// `%` and `_` of the user's words mean themselves.
std::string like_pattern(std::string_view words) {
  std::string pattern = "%";
  for (const char c : words) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

}  // namespace

Result<SessionRow> SessionStore::row(const std::string& session) {
  auto statement = database_.prepare(std::string(kRow) + "WHERE id=? AND rewound_of IS NULL");
  if (!statement) return statement.error();
  auto there = statement->bind(1, session).step();
  if (!there) return there.error();
  if (!*there) {
    return no_session(session);
  }
  return read_row(*statement);
}

Result<std::vector<DraftBlock>> SessionStore::draft(const std::string& session) {
  auto statement =
      database_.prepare("SELECT began, block, result FROM draft WHERE session=? ORDER BY number");
  if (!statement) return statement.error();
  statement->bind(1, session);
  std::vector<DraftBlock> draft;
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return draft;
    auto said = block_from_json(statement->text(1));
    if (!said) return cannot_read(session, said.error());
    DraftBlock block{std::move(*said), statement->integer(0) != 0, std::nullopt};
    if (!statement->is_null(2)) {
      auto answer = block_from_json(statement->text(2));
      if (!answer) return cannot_read(session, answer.error());
      auto* result = std::get_if<ToolResultBlock>(&*answer);
      if (result == nullptr) return cannot_read(session, unexpected("no result of a call"));
      block.result = std::move(*result);
    }
    draft.push_back(std::move(block));
  }
}

// Read in one transaction: another process may be writing.
Result<StoredSession> SessionStore::load(const std::string& session) {
  auto transaction = Transaction::begin_reading(database_);
  if (!transaction) return transaction.error();
  StoredSession stored;
  auto about = row(session);
  if (!about) return about.error();
  stored.row = std::move(*about);
  auto said = history(session);
  if (!said) return said.error();
  stored.history = std::move(*said);
  auto unfinished = draft(session);
  if (!unfinished) return unfinished.error();
  stored.draft = std::move(*unfinished);
  return stored;
}

Result<std::vector<Part>> SessionStore::last_run(const std::string& session) {
  auto statement = database_.prepare(
      "SELECT number, run, method, params, log_size FROM part WHERE session=?1 AND number>=("
      "SELECT number FROM part WHERE session=?1 AND method='agent/runStarted'"
      " ORDER BY number DESC LIMIT 1) ORDER BY number");
  if (!statement) return statement.error();
  return read_parts(statement->bind(1, session), std::numeric_limits<std::size_t>::max());
}

Result<std::vector<Part>> SessionStore::parts(const std::string& session, std::int64_t after,
                                              int limit) {
  auto statement = database_.prepare(
      "SELECT number, run, method, params, log_size FROM part WHERE session=? AND number>?"
      " ORDER BY number LIMIT ?");
  if (!statement) return statement.error();
  return read_parts(statement->bind(1, session).bind(2, after).bind(3, std::int64_t{limit}),
                    kPageBytes);
}

// The state, which may be long, is not read. The `+` keeps SQLite from the index on rewound_of,
// which nearly every session is in with the same value.
Result<std::vector<SessionRow>> SessionStore::list(const SessionQuery& query) {
  std::string sql =
      "SELECT id, lineage, workspace, title, created, updated, '' FROM session"
      " WHERE +rewound_of IS NULL";
  if (query.workspace) sql += " AND workspace=?1";
  if (query.title_has) sql += " AND title LIKE ?2 ESCAPE '\\'";
  if (query.after) sql += " AND (updated, id)<(?3, ?4)";
  sql += " ORDER BY updated DESC, id DESC LIMIT ?5";
  auto statement = database_.prepare(sql);
  if (!statement) return statement.error();
  if (query.workspace) statement->bind(1, *query.workspace);
  if (query.title_has) statement->bind(2, like_pattern(*query.title_has));
  if (query.after) statement->bind(3, query.after->updated).bind(4, query.after->id);
  statement->bind(5, std::int64_t{query.limit});
  std::vector<SessionRow> rows;
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return rows;
    rows.push_back(read_row(*statement));
  }
}

}  // namespace agentd::session
