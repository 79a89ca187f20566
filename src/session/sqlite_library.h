// SQLite, opened when the first session is stored or looked for: a client that only says
// initialize does not pay for it, and where it is missing agentd works without stored sessions.
#pragma once

#include <sqlite3.h>

#include "base/result.h"

namespace agentd::session {

/// The functions we use, under SQLite's own names without the prefix.
struct SqliteLibrary {
  decltype(&::sqlite3_open_v2) open_v2 = nullptr;
  decltype(&::sqlite3_close_v2) close_v2 = nullptr;
  decltype(&::sqlite3_errmsg) errmsg = nullptr;
  decltype(&::sqlite3_extended_errcode) extended_errcode = nullptr;
  decltype(&::sqlite3_extended_result_codes) extended_result_codes = nullptr;
  decltype(&::sqlite3_busy_timeout) busy_timeout = nullptr;
  decltype(&::sqlite3_exec) exec = nullptr;
  decltype(&::sqlite3_prepare_v3) prepare_v3 = nullptr;
  decltype(&::sqlite3_finalize) finalize = nullptr;
  decltype(&::sqlite3_reset) reset = nullptr;
  decltype(&::sqlite3_clear_bindings) clear_bindings = nullptr;
  decltype(&::sqlite3_step) step = nullptr;
  decltype(&::sqlite3_bind_int64) bind_int64 = nullptr;
  decltype(&::sqlite3_bind_text64) bind_text64 = nullptr;
  decltype(&::sqlite3_bind_blob64) bind_blob64 = nullptr;
  decltype(&::sqlite3_bind_null) bind_null = nullptr;
  decltype(&::sqlite3_column_int64) column_int64 = nullptr;
  decltype(&::sqlite3_column_text) column_text = nullptr;
  decltype(&::sqlite3_column_blob) column_blob = nullptr;
  decltype(&::sqlite3_column_bytes) column_bytes = nullptr;
  decltype(&::sqlite3_column_type) column_type = nullptr;
  decltype(&::sqlite3_changes) changes = nullptr;
};

/// Opens it once per process; it is never closed again. Any thread.
Result<const SqliteLibrary*> sqlite_library();

}  // namespace agentd::session
