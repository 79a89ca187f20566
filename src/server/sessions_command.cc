#include "server/sessions_command.h"

#include <cstdio>
#include <filesystem>

#include "base/utc_time.h"
#include "config/settings.h"
#include "platform/canonical_path.h"
#include "platform/output_files.h"
#include "protocol/sessions.h"
#include "server/exit_code.h"
#include "server/printable.h"
#include "session/session_lock.h"
#include "session/store_thread.h"
#include "wire/encode.h"

namespace agentd::server {
namespace {

using session::SessionStore;

int failed(const Error& error) {
  std::fprintf(stderr, "agentd: %s\n", printable(error.message).c_str());
  return error.code == Code::not_found ? exit_code::kUsage : exit_code::kError;
}

void print(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

std::string described(const session::SessionRow& row, bool all) {
  constexpr std::size_t kToTheMinute = 16;  // of 2026-11-30T06:34:12.345Z
  std::string time = utc_time(row.updated).substr(0, kToTheMinute);
  time[10] = ' ';
  std::string line = printable(row.id) + "  " + time + "  " + printable(row.title);
  return all ? line + "  (" + printable(row.workspace) + ')' : line;
}

std::string as_json(const session::SessionRow& row) {
  protocol::SessionInfo info;
  info.session_id = row.id;
  info.title = row.title;
  info.cwd = row.workspace;
  info.created_at = utc_time(row.created);
  info.updated_at = utc_time(row.updated);
  info.forked_from = row.lineage;
  return wire::encode(info);
}

int list(SessionStore& store, const SessionsOptions& options) {
  session::SessionQuery query;
  query.limit = options.limit;
  if (!options.search.empty()) query.title_has = options.search;
  if (!options.all) {
    std::error_code failed_here;
    const auto absolute =
        std::filesystem::absolute(options.cwd.empty() ? "." : options.cwd, failed_here);
    const auto directory = platform::canonical_path(absolute.string());
    if (!directory) return failed(directory.error());
    query.workspace = *directory;
  }
  const auto rows = store.list(query);
  if (!rows) return failed(rows.error());
  if (rows->empty() && !options.json) {
    std::fputs(options.all ? "no session is stored\n"
                           : "no session of this directory is stored; --all lists every one\n",
               stderr);
  }
  for (const auto& row : *rows) print(options.json ? as_json(row) : described(row, options.all));
  return exit_code::kSuccess;
}

int print_lines(SessionStore& store, const std::string& id) {
  session::ExportPosition at;
  while (true) {
    const auto lines = store.export_lines(id, at);
    if (!lines) return failed(lines.error());
    if (lines->empty()) return exit_code::kSuccess;
    for (const std::string& line : *lines) print(line);
  }
}

// Not one that a process is running.
int remove(SessionStore& store, const std::string& directory, const std::string& id) {
  if (const auto row = store.row(id); !row) return failed(row.error());
  const auto lock = session::SessionLock::take(directory, id, "agentd-sessions");
  if (!lock) return failed(lock.error());
  const auto removed = store.remove(id);
  if (!removed) return failed(removed.error());
  session::forget_lock(directory, id);
  platform::remove_outputs(session::outputs_of(directory), id);
  return exit_code::kSuccess;
}

}  // namespace

int sessions_command(const SessionsOptions& options) {
  const std::string path = session::store_path(config::process_environment());
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) {
    const std::string& id = options.exported.empty() ? options.deleted : options.exported;
    if (id.empty()) return exit_code::kSuccess;
    return failed(make_error(Code::not_found, "there is no stored session \"" + id + "\""));
  }
  auto store = SessionStore::open(path, session::Durability::normal);
  if (!store) return failed(store.error());
  if (!options.exported.empty()) return print_lines(*store, options.exported);
  if (!options.deleted.empty()) {
    return remove(*store, std::filesystem::path(path).parent_path().string(), options.deleted);
  }
  return list(*store, options);
}

}  // namespace agentd::server
