#include "session/sqlite_library.h"

#include <dlfcn.h>

#include <string>

namespace agentd::session {
namespace {

Error unusable() {
  const char* why = ::dlerror();
  return make_error(
      Code::unavailable,
      std::string("sessions are not kept: they need SQLite 3, which cannot be used: ") +
          (why != nullptr ? why : "unknown reason") + " (Debian: apt install libsqlite3-0)",
      "libsqlite3.so.0");
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<SqliteLibrary> open_library() {
  void* library = ::dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return unusable();
  SqliteLibrary sqlite;
  const bool complete =
      find(library, "sqlite3_open_v2", sqlite.open_v2) &&
      find(library, "sqlite3_close_v2", sqlite.close_v2) &&
      find(library, "sqlite3_errmsg", sqlite.errmsg) &&
      find(library, "sqlite3_extended_errcode", sqlite.extended_errcode) &&
      find(library, "sqlite3_extended_result_codes", sqlite.extended_result_codes) &&
      find(library, "sqlite3_busy_timeout", sqlite.busy_timeout) &&
      find(library, "sqlite3_exec", sqlite.exec) &&
      find(library, "sqlite3_prepare_v3", sqlite.prepare_v3) &&
      find(library, "sqlite3_finalize", sqlite.finalize) &&
      find(library, "sqlite3_reset", sqlite.reset) &&
      find(library, "sqlite3_clear_bindings", sqlite.clear_bindings) &&
      find(library, "sqlite3_step", sqlite.step) &&
      find(library, "sqlite3_bind_int64", sqlite.bind_int64) &&
      find(library, "sqlite3_bind_text64", sqlite.bind_text64) &&
      find(library, "sqlite3_bind_blob64", sqlite.bind_blob64) &&
      find(library, "sqlite3_bind_null", sqlite.bind_null) &&
      find(library, "sqlite3_column_int64", sqlite.column_int64) &&
      find(library, "sqlite3_column_text", sqlite.column_text) &&
      find(library, "sqlite3_column_blob", sqlite.column_blob) &&
      find(library, "sqlite3_column_bytes", sqlite.column_bytes) &&
      find(library, "sqlite3_column_type", sqlite.column_type) &&
      find(library, "sqlite3_changes", sqlite.changes);
  if (!complete) return unusable();
  return sqlite;
}

}  // namespace

Result<const SqliteLibrary*> sqlite_library() {
  static const Result<SqliteLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace agentd::session
