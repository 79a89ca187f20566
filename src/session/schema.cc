#include "session/schema.h"

#include <array>
#include <string>

namespace agentd::session {
namespace {

// One step for each version, in order; a step that was released never changes.
//
//   session  one row a session; `state` is JSON (state_json.h), `lineage` where it was forked. What
//            a rewind took away is kept as a row of its own, with `rewound_of`, that nobody lists
//   message  the log of its history, numbered from 0
//   change   what was done to the view, how long the log was then and what the last part was
//   draft    the reply under way: blocks and results that are whole, until they are in `message`
//   part     what clients were told, as they were told it, but with each text in one piece
constexpr std::array<const char*, kSchemaVersion> kSteps = {
    "CREATE TABLE session("
    "  id TEXT PRIMARY KEY, lineage TEXT, workspace TEXT NOT NULL, title TEXT NOT NULL,"
    "  created INTEGER NOT NULL, updated INTEGER NOT NULL, state TEXT NOT NULL,"
    "  rewound_of TEXT UNIQUE REFERENCES session(id) ON DELETE CASCADE);"
    "CREATE INDEX session_by_workspace ON session(workspace, updated, id);"
    "CREATE INDEX session_by_time ON session(updated, id);"
    "CREATE TABLE message("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  json TEXT NOT NULL, PRIMARY KEY(session, number));"
    "CREATE TABLE change("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  log_size INTEGER NOT NULL, after_part INTEGER NOT NULL, json TEXT NOT NULL,"
    "  PRIMARY KEY(session, number));"
    "CREATE TABLE draft("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  tool_use_id TEXT, began INTEGER NOT NULL DEFAULT 0, block TEXT NOT NULL, result TEXT,"
    "  PRIMARY KEY(session, number));"
    "CREATE TABLE part("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  run TEXT NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL, log_size INTEGER NOT NULL,"
    "  PRIMARY KEY(session, number));"};

Result<int> version_of(Database& database) {
  auto asked = database.prepare("PRAGMA user_version");
  if (!asked) return asked.error();
  auto row = asked->step();
  if (!row) return row.error();
  return static_cast<int>(asked->integer(0));
}

Result<void> take_step(Database& database, int version) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  // Another process may have taken it while this one waited for the lock.
  const auto now = version_of(database);
  if (!now) return now.error();
  if (*now > version) return {};
  auto done = database.execute(kSteps[static_cast<std::size_t>(version)]);
  if (!done) return done;
  done = database.execute("PRAGMA user_version=" + std::to_string(version + 1));
  if (!done) return done;
  return transaction->commit();
}

}  // namespace

Result<void> prepare_schema(Database& database) {
  auto version = version_of(database);
  if (!version) return version.error();
  if (*version > kSchemaVersion) {
    return make_error(Code::unavailable,
                      "the stored sessions were written by a newer agentd (format " +
                          std::to_string(*version) + ", this one knows " +
                          std::to_string(kSchemaVersion) +
                          "): they are left alone, and nothing is stored");
  }
  for (int step = *version; step < kSchemaVersion; ++step) {
    auto done = take_step(database, step);
    if (!done) return done;
  }
  return {};
}

}  // namespace agentd::session
