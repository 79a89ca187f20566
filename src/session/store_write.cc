// What the store writes, in the order of store.h. What copies and cuts whole sessions is in
// store_copy.cc.
#include "session/message_json.h"
#include "session/schema.h"
#include "session/store.h"
#include "session/store_faults.h"

namespace agentd::session {
namespace {

const std::string* tool_use_id(const Block& block) {
  const auto* call = std::get_if<ToolUseBlock>(&block);
  return call != nullptr ? &call->id : nullptr;
}

}  // namespace

Result<SessionStore> SessionStore::open(const std::string& path, Durability durability) {
  auto database = Database::open(path, durability);
  if (!database) return database.error();
  auto ready = prepare_schema(*database);
  if (!ready) return ready.error();
  return SessionStore(std::move(*database));
}

Result<void> SessionStore::found(const std::string& session) const {
  if (database_.changes() == 0) return no_session(session);
  return {};
}

Result<void> SessionStore::add(const SessionRow& row) {
  auto statement = database_.prepare(
      "INSERT INTO session(id, lineage, workspace, title, created, updated, state)"
      " VALUES(?, ?, ?, ?, ?, ?, ?)");
  if (!statement) return statement.error();
  statement->bind(1, row.id)
      .bind_optional(2, row.lineage)
      .bind(3, row.workspace)
      .bind(4, row.title);
  statement->bind(5, row.created).bind(6, row.updated).bind(7, row.state);
  return statement->run();
}

Result<void> SessionStore::update(const SessionRow& row) {
  auto statement = database_.prepare("UPDATE session SET updated=?, state=? WHERE id=?");
  if (!statement) return statement.error();
  statement->bind(1, row.updated).bind(2, row.state).bind(3, row.id);
  auto done = statement->run();
  return done ? found(row.id) : done;
}

Result<void> SessionStore::put_draft(const std::string& session, int number, const Block& block) {
  auto statement = database_.prepare(
      "INSERT OR REPLACE INTO draft(session, number, tool_use_id, block) VALUES(?, ?, ?, ?)");
  if (!statement) return statement.error();
  const std::string* id = tool_use_id(block);
  statement->bind(1, session).bind(2, std::int64_t{number});
  statement->bind_optional(3, id != nullptr ? std::optional(*id) : std::nullopt);
  statement->bind(4, to_json(Message{Role::assistant, {block}}));
  return statement->run();
}

Result<void> SessionStore::draft_began(const std::string& session, const std::string& tool_use_id) {
  auto statement = database_.prepare("UPDATE draft SET began=1 WHERE session=? AND tool_use_id=?");
  if (!statement) return statement.error();
  return statement->bind(1, session).bind(2, tool_use_id).run();
}

Result<void> SessionStore::draft_settled(const std::string& session,
                                         const ToolResultBlock& result) {
  auto statement = database_.prepare("UPDATE draft SET result=? WHERE session=? AND tool_use_id=?");
  if (!statement) return statement.error();
  statement->bind(1, to_json(Message{Role::user, {result}}));
  return statement->bind(2, session).bind(3, result.tool_use_id).run();
}

Result<void> SessionStore::discard_draft(const std::string& session) {
  auto statement = database_.prepare("DELETE FROM draft WHERE session=?");
  if (!statement) return statement.error();
  return statement->bind(1, session).run();
}

Result<void> SessionStore::add_part(const std::string& session, const Part& part) {
  auto statement = database_.prepare(
      "INSERT INTO part(session, number, run, method, params, log_size) VALUES(?, ?, ?, ?, ?, ?)");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, part.number).bind(3, part.run).bind(4, part.method);
  return statement->bind(5, part.params).bind(6, part.log_size).run();
}

Result<void> SessionStore::rename(const std::string& session, const std::string& title) {
  auto statement =
      database_.prepare("UPDATE session SET title=? WHERE id=? AND rewound_of IS NULL");
  if (!statement) return statement.error();
  auto done = statement->bind(1, title).bind(2, session).run();
  return done ? found(session) : done;
}

Result<void> SessionStore::remove(const std::string& session) {
  auto statement = database_.prepare("DELETE FROM session WHERE id=? AND rewound_of IS NULL");
  if (!statement) return statement.error();
  auto done = statement->bind(1, session).run();
  return done ? found(session) : done;
}

}  // namespace agentd::session
