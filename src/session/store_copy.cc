// What the store copies and cuts: forks, rewinds and the points they cut at. The rows move inside
// SQLite and never pass through us. What a rewind takes away becomes that of a session that nobody
// sees (`rewound_of`), and bringing it back is the same move the other way round.
#include <array>
#include <string>

#include "session/store.h"
#include "session/store_faults.h"
#include "wire/parse.h"

namespace agentd::session {
namespace {

/// A table whose rows are a session's, and which of them are before a cut (?2 its log size, ?3 its
/// part).
struct OwnedRows {
  std::string_view table;
  std::string_view columns;  // but the session
  std::string_view before_cut;
};

constexpr std::array kOwned{
    OwnedRows{"message", "number, json, calls", "number<?2"},
    OwnedRows{"change", "number, log_size, after_part, json, view",
              "(log_size<?2 OR (log_size=?2 AND after_part<?3))"},
    OwnedRows{"part", "number, run, method, params, log_size", "number<?3"},
    OwnedRows{"draft", "number, tool_use_id, began, block, result", "0"},
};

std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string out;
  for (const std::string_view piece : pieces) out += piece;
  return out;
}

Result<void> run_at(Database& database, const std::string& sql, const std::string& session,
                    const Cut& cut) {
  auto statement = database.prepare(sql);
  if (!statement) return statement.error();
  statement->bind(1, session);
  if (sql.find("?2") != std::string::npos) statement->bind(2, cut.log_size);
  if (sql.find("?3") != std::string::npos) statement->bind(3, cut.part);
  return statement->run();
}

Result<void> copy_rows(Database& database, const OwnedRows& rows, const std::string& session,
                       const std::string& new_id, const std::optional<Cut>& cut) {
  const std::string sql =
      joined({"INSERT INTO ", rows.table, "(session, ", rows.columns, ") SELECT ?4, ", rows.columns,
              " FROM ", rows.table, " WHERE session=?1 AND ", cut ? rows.before_cut : "1"});
  auto statement = database.prepare(sql);
  if (!statement) return statement.error();
  statement->bind(4, new_id).bind(1, session);
  if (cut) statement->bind(2, cut->log_size).bind(3, cut->part);
  return statement->run();
}

constexpr std::string_view kAside = "(SELECT id FROM session WHERE rewound_of=?1)";

}  // namespace

Result<void> SessionStore::fork(const Transaction&, const std::string& session,
                                const std::string& new_id, const std::optional<Cut>& cut,
                                std::int64_t now) {
  auto statement = database_.prepare(
      "INSERT INTO session(id, lineage, workspace, title, created, updated, state)"
      " SELECT ?2, id, workspace,"
      "  CASE WHEN title LIKE '% (fork)' THEN title ELSE title || ' (fork)' END, ?3, ?3, state"
      " FROM session WHERE id=?1 AND rewound_of IS NULL");
  if (!statement) return statement.error();
  auto done = statement->bind(1, session).bind(2, new_id).bind(3, now).run();
  if (!done) return done;
  if (database_.changes() == 0) return no_session(session);
  for (const OwnedRows& rows : kOwned) {
    done = copy_rows(database_, rows, session, new_id, cut);
    if (!done) return done;
  }
  return {};
}

Result<void> SessionStore::rewind(const Transaction&, const std::string& session, const Cut& cut) {
  auto done = forget_rewind(session);
  if (!done) return done;
  done = run_at(database_,
                "INSERT INTO session(id, lineage, workspace, title, created, updated, state,"
                " rewound_of)"
                " SELECT lower(hex(randomblob(16))), lineage, workspace, title, created, updated,"
                "  state, id FROM session WHERE id=?1 AND rewound_of IS NULL",
                session, cut);
  if (!done) return done;
  if (database_.changes() == 0) return no_session(session);
  for (const OwnedRows& rows : kOwned) {
    done = run_at(database_,
                  joined({"UPDATE ", rows.table, " SET session=", kAside,
                          " WHERE session=?1 AND NOT (", rows.before_cut, ")"}),
                  session, cut);
    if (!done) return done;
  }
  return {};
}

// A run has begun or something was said: it has taken the numbers of what was taken away.
Result<bool> SessionStore::has_gone_on(const std::string& session) {
  auto asked = database_.prepare(joined(
      {"SELECT EXISTS(SELECT 1 FROM part WHERE session=?1 AND method='agent/runStarted'"
       " AND number>=(SELECT min(number) FROM part WHERE session=",
       kAside,
       ")) OR EXISTS(SELECT 1 FROM message WHERE session=?1 AND number>=(SELECT min(number) FROM"
       " message WHERE session=",
       kAside, "))"}));
  if (!asked) return asked.error();
  auto there = asked->bind(1, session).step();
  if (!there) return there.error();
  return asked->integer(0) != 0;
}

Result<void> SessionStore::may_undo_rewind(const std::string& session) {
  auto aside = database_.prepare("SELECT id FROM session WHERE rewound_of=?");
  if (!aside) return aside.error();
  auto there = aside->bind(1, session).step();
  if (!there) return there.error();
  if (!*there) {
    return make_error(Code::not_found,
                      "session \"" + session + "\" was not rewound, or that was undone already");
  }
  const auto gone_on = has_gone_on(session);
  if (!gone_on) return gone_on.error();
  if (!*gone_on) return {};
  return make_error(Code::conflict,
                    "the session has gone on since it was rewound: what was taken away cannot be "
                    "put behind that");
}

Result<void> SessionStore::forget_rewind(const std::string& session) {
  return run_at(database_, "DELETE FROM session WHERE rewound_of=?1", session, {});
}

Result<void> SessionStore::undo_rewind(const Transaction&, const std::string& session) {
  const auto may = may_undo_rewind(session);
  if (!may) return may;
  // Parts that closed a run which the rewind had cut: it has its own end again.
  auto done = run_at(database_,
                     joined({"DELETE FROM part WHERE session=?1 AND number>=(SELECT min(number)"
                             " FROM part WHERE session=",
                             kAside, ")"}),
                     session, {});
  if (!done) return done;
  for (const OwnedRows& rows : kOwned) {
    done =
        run_at(database_, joined({"UPDATE ", rows.table, " SET session=?1 WHERE session=", kAside}),
               session, {});
    if (!done) return done;
  }
  return run_at(database_, "DELETE FROM session WHERE rewound_of=?1", session, {});
}

// ---- where to cut ------------------------------------------------------------------------------

Result<std::optional<Cut>> SessionStore::cut_at(Statement sql, const ParamsAre& wanted) {
  while (true) {
    auto there = sql.step();
    if (!there) return there.error();
    if (!*there) return std::optional<Cut>();
    if (wanted(sql.text(2))) return std::optional(Cut{sql.integer(0), sql.integer(1)});
  }
}

Result<Cut> SessionStore::cut_before_run(const std::string& session, const std::string& run) {
  auto statement = database_.prepare(
      "SELECT number, log_size, '' FROM part WHERE session=?1 AND run=?2 AND number>coalesce(("
      "  SELECT max(number) FROM part WHERE session=?1 AND run=?2 AND method='agent/runEnded'"
      "  AND number<(SELECT max(number) FROM part WHERE session=?1 AND run=?2"
      "   AND method='agent/runStarted')), 0) ORDER BY number LIMIT 1");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, run);
  auto cut = cut_at(std::move(*statement), [](std::string_view) { return true; });
  if (!cut) return cut.error();
  if (*cut) return **cut;
  return make_error(Code::not_found,
                    "session \"" + session + "\" has no stored run \"" + run + "\"");
}

Result<Cut> SessionStore::cut_before_turn(const std::string& session, const std::string& run,
                                          int turn) {
  const auto begin = cut_before_run(session, run);
  if (!begin) return begin.error();
  auto statement = database_.prepare(
      "SELECT number, log_size, params FROM part WHERE session=? AND run=? AND number>=?"
      " AND method='agent/turnStarted' ORDER BY number");
  if (!statement) return statement.error();
  statement->bind(1, session).bind(2, run).bind(3, begin->part);
  auto cut = cut_at(std::move(*statement), [turn](std::string_view params) {
    const auto json = wire::parse(params);
    const auto* number = json ? wire::member(*json, "turn") : nullptr;
    return number != nullptr && *number == turn;
  });
  if (!cut) return cut.error();
  if (*cut) return **cut;
  return make_error(Code::not_found, "session \"" + session + "\" has no stored turn " +
                                         std::to_string(turn) + " of a run \"" + run + "\"");
}

Result<Cut> SessionStore::cut_before_message(const std::string& session,
                                             const std::string& message_id) {
  auto statement = database_.prepare(
      "SELECT number, log_size, params FROM part WHERE session=?"
      " AND method='agent/attachment' ORDER BY number");
  if (!statement) return statement.error();
  statement->bind(1, session);
  auto cut = cut_at(std::move(*statement), [&](std::string_view params) {
    const auto json = wire::parse(params);
    return json && wire::string_member(*json, "messageId") == message_id;
  });
  if (!cut) return cut.error();
  if (*cut) return **cut;
  return make_error(Code::not_found,
                    "session \"" + session + "\" has no stored message \"" + message_id + "\"");
}

}  // namespace agentd::session
