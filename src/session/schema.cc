#include "session/schema.h"

#include <array>
#include <string>

namespace agentd::session {
namespace {

// One step for each version, in order; a step that was released never changes.
//
//   session  one row a session; `state` is JSON (stored_state.h), `lineage` where it was forked.
//   What
//            a rewind took away is kept as a row of its own, with `rewound_of`, that nobody lists
//   message  the log of its history, numbered from 0; `calls` are the ids of its calls (JSON)
//   change   what was done to the view, how long the log was then and what the last part was; of a
//            compaction also the view that it made
//   draft    the reply under way: blocks and results that are whole, until they are in `message`
//   part     what clients were told, as they were told it, but with each text in one piece
//
//   checkpoint    a file before a change by the agent (store_checkpoints.h); `was` is a
//                 FileBefore::Was, `undone` 1 once a rewind took it back, `before_cut` the
//                 log_size that it had before the last cut of the log
//   file_content  what is in such files, once for each content; `used` is the number of the last
//                 checkpoint that needed it
//   file_rewind   the last rewind of files, until it is undone or void; `finished` 0 while it is
//                 under way
//   rewound_file  what that rewind took away: `became` is null for a file that it removed
constexpr std::array<const char*, kSchemaVersion> kSteps = {
    "CREATE TABLE session("
    "  id TEXT PRIMARY KEY, lineage TEXT, workspace TEXT NOT NULL, title TEXT NOT NULL,"
    "  created INTEGER NOT NULL, updated INTEGER NOT NULL, state TEXT NOT NULL,"
    "  rewound_of TEXT UNIQUE REFERENCES session(id) ON DELETE CASCADE);"
    "CREATE INDEX session_by_workspace ON session(workspace, updated, id);"
    "CREATE INDEX session_by_time ON session(updated, id);"
    "CREATE TABLE message("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  json TEXT NOT NULL, calls TEXT, PRIMARY KEY(session, number));"
    "CREATE TABLE change("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  log_size INTEGER NOT NULL, after_part INTEGER NOT NULL, json TEXT NOT NULL,"
    "  view TEXT, PRIMARY KEY(session, number));"
    "CREATE TABLE draft("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  tool_use_id TEXT, began INTEGER NOT NULL DEFAULT 0, block TEXT NOT NULL, result TEXT,"
    "  PRIMARY KEY(session, number));"
    "CREATE TABLE part("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  run TEXT NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL, log_size INTEGER NOT NULL,"
    "  PRIMARY KEY(session, number));"
    "CREATE TABLE checkpoint("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, number INTEGER NOT NULL,"
    "  run TEXT NOT NULL, tool_use_id TEXT NOT NULL, log_size INTEGER NOT NULL, path TEXT NOT NULL,"
    "  was INTEGER NOT NULL, mode INTEGER NOT NULL, before TEXT, intended TEXT NOT NULL,"
    "  undone INTEGER NOT NULL DEFAULT 0, before_cut INTEGER, PRIMARY KEY(session, number));"
    "CREATE TABLE file_content("
    "  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, hash TEXT NOT NULL,"
    "  used INTEGER NOT NULL, size INTEGER NOT NULL, content BLOB NOT NULL,"
    "  PRIMARY KEY(session, hash));"
    "CREATE INDEX file_content_by_age ON file_content(session, used, size);"
    "CREATE TABLE file_rewind("
    "  session TEXT PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,"
    "  finished INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE rewound_file("
    "  session TEXT NOT NULL REFERENCES file_rewind(session) ON DELETE CASCADE,"
    "  path TEXT NOT NULL, was TEXT NOT NULL, mode INTEGER NOT NULL, became TEXT,"
    "  PRIMARY KEY(session, path));"};

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
  auto ahead = database.write_ahead();
  if (!ahead) return ahead;
  for (int step = *version; step < kSchemaVersion; ++step) {
    auto done = take_step(database, step);
    if (!done) return done;
  }
  return {};
}

}  // namespace agentd::session
