// A session's history in the store: messages and changes are added one by one; read is only what
// the model is sent, from the last compaction on, so that a long session opens as fast as a short
// one.
#include <utility>

#include "session/message_json.h"
#include "session/store.h"
#include "session/store_faults.h"
#include "wire/encode.h"
#include "wire/parse.h"

namespace agentd::session {
namespace {

// The ids of a message's calls as a JSON array; nothing if it has none.
std::optional<std::string> calls_of(const Message& message) {
  std::string calls = "[";
  for (const Block& block : message.blocks) {
    const auto* call = std::get_if<ToolUseBlock>(&block);
    if (call == nullptr) continue;
    wire::append_comma(calls);
    wire::append_string(calls, call->id);
  }
  if (calls == "[") return std::nullopt;
  return calls + ']';
}

// One message a line: no JSON text has a line end in it.
std::optional<std::string> view_json(const context::View& view) {
  if (view.empty()) return std::nullopt;
  std::string lines;
  for (const MessagePtr& message : view) lines += to_json(*message) + '\n';
  return lines;
}

Result<context::View> view_from_json(std::string_view lines) {
  context::View view;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    auto message = message_from_json(lines.substr(0, end));
    if (!message) return message.error();
    view.push_back(std::make_shared<const Message>(std::move(*message)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return view;
}

}  // namespace

// ---- writing -----------------------------------------------------------------------------------

Result<void> SessionStore::append(const std::string& session, std::size_t first,
                                  const std::vector<MessagePtr>& messages) {
  for (const MessagePtr& message : messages) {
    auto statement =
        database_.prepare("INSERT INTO message(session, number, json, calls) VALUES(?, ?, ?, ?)");
    if (!statement) return statement.error();
    statement->bind(1, session).bind(2, static_cast<std::int64_t>(first++));
    statement->bind(3, to_json(*message)).bind_optional(4, calls_of(*message));
    auto done = statement->run();
    if (!done) return done;
  }
  return discard_draft(session);
}

Result<void> SessionStore::append_change(const std::string& session, std::size_t number,
                                         const context::RecordedChange& change) {
  auto statement = database_.prepare(
      "INSERT INTO change(session, number, log_size, after_part, json, view)"
      " SELECT ?1, ?2, ?3, coalesce((SELECT max(number) FROM part WHERE session=?1), 0), ?4, ?5");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, static_cast<std::int64_t>(number));
  statement->bind(3, static_cast<std::int64_t>(change.log_size)).bind(4, to_json(change.change));
  return statement->bind_optional(5, view_json(change.view)).run();
}

Result<void> SessionStore::clear_log(const std::string& session, std::size_t first_message,
                                     std::size_t first_change) {
  auto messages = database_.prepare("DELETE FROM message WHERE session=? AND number>=?");
  if (!messages) return messages.error();
  messages->bind(1, session).bind(2, static_cast<std::int64_t>(first_message));
  auto done = messages->run();
  if (!done) return done;
  auto changes = database_.prepare("DELETE FROM change WHERE session=? AND number>=?");
  if (!changes) return changes.error();
  return changes->bind(1, session).bind(2, static_cast<std::int64_t>(first_change)).run();
}

// ---- reading -----------------------------------------------------------------------------------

Result<context::StoredHistory> SessionStore::history(const std::string& session) {
  context::StoredHistory history;
  for (const auto read : {&SessionStore::read_last_compaction, &SessionStore::read_log,
                          &SessionStore::read_changes, &SessionStore::read_earlier_calls}) {
    auto done = (this->*read)(session, history);
    if (!done) return done.error();
  }
  return history;
}

// Where to begin; without a compaction at the first message.
Result<void> SessionStore::read_last_compaction(const std::string& session,
                                                context::StoredHistory& history) {
  auto statement = database_.prepare(
      "SELECT number, log_size, view FROM change WHERE session=? AND view IS NOT NULL"
      " ORDER BY number DESC LIMIT 1");
  if (!statement) return statement.error();
  auto there = statement->bind(1, session).step();
  if (!there) return there.error();
  if (!*there) return {};
  auto view = view_from_json(statement->text(2));
  if (!view) return cannot_read(session, view.error());
  history.changes_begin = static_cast<std::size_t>(statement->integer(0)) + 1;
  history.log_begin = static_cast<std::size_t>(statement->integer(1));
  history.view = std::move(*view);
  return {};
}

Result<void> SessionStore::read_log(const std::string& session, context::StoredHistory& history) {
  auto statement =
      database_.prepare("SELECT json FROM message WHERE session=? AND number>=? ORDER BY number");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, static_cast<std::int64_t>(history.log_begin));
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return {};
    auto message = message_from_json(statement->text(0));
    if (!message) return cannot_read(session, message.error());
    history.log.push_back(std::make_shared<const Message>(std::move(*message)));
  }
}

Result<void> SessionStore::read_changes(const std::string& session,
                                        context::StoredHistory& history) {
  auto statement = database_.prepare(
      "SELECT log_size, json FROM change WHERE session=? AND number>=? ORDER BY number");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, static_cast<std::int64_t>(history.changes_begin));
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return {};
    auto change = change_from_json(statement->text(1));
    if (!change) return cannot_read(session, change.error());
    history.changes.push_back(
        {static_cast<std::size_t>(statement->integer(0)), std::move(*change), {}});
  }
}

Result<void> SessionStore::read_earlier_calls(const std::string& session,
                                              context::StoredHistory& history) {
  auto statement = database_.prepare(
      "SELECT calls FROM message WHERE session=? AND number<? AND calls IS NOT NULL");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, static_cast<std::int64_t>(history.log_begin));
  while (true) {
    auto there = statement->step();
    if (!there) return there.error();
    if (!*there) return {};
    auto calls = wire::parse(statement->text(0));
    if (!calls) return cannot_read(session, calls.error());
    for (const auto& id : *calls) {
      if (id.is_string()) history.earlier_calls.push_back(id.get<std::string>());
    }
  }
}

}  // namespace agentd::session
