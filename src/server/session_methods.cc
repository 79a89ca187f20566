// The session/ requests. The store's thread looks things up and changes them; what it found comes
// back by the inbox, and the reader thread answers. Requests for a session that is being cut or
// deleted wait meanwhile.
#include <charconv>
#include <memory>
#include <utility>

#include "base/utc_time.h"
#include "platform/canonical_path.h"
#include "platform/output_files.h"
#include "server/server.h"
#include "server/session_export.h"
#include "server/session_faults.h"
#include "session/rewind.h"
#include "session/session_lock.h"

namespace agentd::server {
namespace {

using session::SessionStore;

constexpr int kListed = 50;                 // sessions on a page, where nobody says how many
constexpr std::size_t kLongestTitle = 500;  // bytes

/// `ask` on the store's thread, `told` on the reader's.
template <class T>
StoreQuestion question(std::function<Result<T>(SessionStore&)> ask,
                       std::function<void(Result<T>)> told) {
  return [ask = std::move(ask),
          told = std::move(told)](const Result<SessionStore*>& store) -> std::function<void()> {
    auto answer = std::make_shared<Result<T>>(store ? ask(**store) : Result<T>(store.error()));
    return [told, answer] { told(std::move(*answer)); };
  };
}

// ---- session/list ------------------------------------------------------------------------------

std::string cursor_of(const session::SessionRow& row) {
  return std::to_string(row.updated) + ':' + row.id;
}

std::optional<session::ListPosition> position_of(std::string_view cursor) {
  session::ListPosition position;
  const char* end = cursor.data() + cursor.size();
  const auto number = std::from_chars(cursor.data(), end, position.updated);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != ':') return std::nullopt;
  position.id.assign(number.ptr + 1, end);
  return position;
}

// As sessions have their workspace; a directory that is gone still has sessions.
std::string workspace_of(const std::string& cwd) {
  auto canonical = platform::canonical_path(cwd);
  return canonical ? *canonical : cwd;
}

protocol::SessionInfo info_of(session::SessionRow row, bool running) {
  protocol::SessionInfo info;
  info.session_id = std::move(row.id);
  info.title = std::move(row.title);
  info.cwd = std::move(row.workspace);
  info.created_at = utc_time(row.created);
  info.updated_at = utc_time(row.updated);
  info.forked_from = std::move(row.lineage);
  if (running) info.running = true;
  return info;
}

// ---- where to cut ------------------------------------------------------------------------------

std::optional<Error> point_fault(const protocol::SessionPoint& point) {
  if (point.run_id.has_value() == point.message_id.has_value()) {
    return make_error(Code::invalid_input, "expected either runId or messageId", "params.before");
  }
  if (point.turn && !point.run_id) {
    return make_error(Code::invalid_input, "turn is only allowed with runId", "params.before.turn");
  }
  return std::nullopt;
}

Result<session::Cut> cut_of(SessionStore& store, const std::string& session,
                            const protocol::SessionPoint& point) {
  if (point.message_id) return store.cut_before_message(session, *point.message_id);
  if (point.turn) return store.cut_before_turn(session, *point.run_id, *point.turn);
  return store.cut_before_run(session, *point.run_id);
}

session::RewindScope scope_of(protocol::RewindScope scope) {
  switch (scope) {
    case protocol::RewindScope::conversation:
      return {.conversation = true, .files = false};
    case protocol::RewindScope::files:
      return {.conversation = false, .files = true};
    case protocol::RewindScope::both:
      break;
  }
  return {};
}

void tell_rewind(Result<session::FileRewind> rewound,
                 const Answer<protocol::SessionRewindResult>& answer) {
  if (!rewound) return answer.error(rewound.error());
  protocol::SessionRewindResult result{
      std::move(rewound->restored), std::move(rewound->removed), {}};
  for (auto& conflict : rewound->conflicts) {
    std::string reason = session::describe(conflict);
    result.conflicts.push_back({std::move(conflict.path), std::move(reason)});
  }
  answer.result(result);
}

bool is_absolute(const std::string& path) {
  return path.starts_with('/');
}

}  // namespace

void Server::bind_sessions() {
  bind(peer_, protocol::kSessionList,
       [this](auto params, auto answer) { list_sessions(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionLoad,
       [this](auto params, auto answer) { load_session(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionFork,
       [this](auto params, auto answer) { fork_session(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionRewind,
       [this](auto params, auto answer) { rewind_session(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionUndoRewind,
       [this](auto params, auto answer) { undo_rewind(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionRename,
       [this](auto params, auto answer) { rename_session(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionDelete,
       [this](auto params, auto answer) { delete_session(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kSessionExport,
       [this](auto params, auto answer) { export_session(std::move(params), std::move(answer)); });
}

// ---- the store ---------------------------------------------------------------------------------

void Server::ask_store(StoreQuestion question) {
  const auto thread = storage_.store();
  if (!thread) {
    return question(make_error(Code::unavailable,
                               "sessions are not stored here: --no-session, \"sessions\": false in "
                               "the settings, or neither HOME nor XDG_DATA_HOME is an absolute "
                               "path"))();
  }
  ++store_questions_;
  thread->post([this, question = std::move(question)](const Result<SessionStore*>& store) {
    inbox_.post([this, told = question(store)] {
      --store_questions_;
      told();
    });
  });
}

// True if a request that changes a session cannot be done now: it is done later, behind what the
// session waits for already, or it is answered, as a run is going on.
bool Server::wait_until_free(const std::string& session_id, const rpc::Reply& reply,
                             std::function<void()> request) {
  if (auto* waiting = sessions_.opening(session_id)) {
    waiting->push_back({"", std::move(request)});
    return true;
  }
  Session* session = sessions_.find(session_id);
  if (session == nullptr || !session->active) return false;
  if (session->active->events->end_told()) {
    session->active->after_end.push_back({"", std::move(request)});
  } else {
    reply.error(session_is_busy(), run_id_member(session->active->run_id));
  }
  return true;
}

// ---- the requests ------------------------------------------------------------------------------

void Server::list_sessions(protocol::SessionListParams params,
                           Answer<protocol::SessionListResult> answer) {
  if (params.cwd && !is_absolute(*params.cwd)) {
    return answer.error(make_error(Code::invalid_input, "expected an absolute path", "params.cwd"));
  }
  if (params.search && params.search->size() > kLongestTitle) {
    return answer.error(
        make_error(Code::invalid_input, "expected at most 500 bytes", "params.search"));
  }
  session::SessionQuery query;
  if (params.search && !params.search->empty()) query.title_has = std::move(params.search);
  if (params.cursor) {
    query.after = position_of(*params.cursor);
    if (!query.after) {
      return answer.error(
          make_error(Code::invalid_input, "not a nextCursor of agentd's", "params.cursor"));
    }
  }
  const int limit = params.limit.value_or(kListed);
  query.limit = limit + 1;  // one more tells whether there is a next page
  using Rows = std::vector<session::SessionRow>;
  ask_store(question<Rows>(
      [query = std::move(query), cwd = std::move(params.cwd)](SessionStore& store) mutable {
        if (cwd) query.workspace = workspace_of(*cwd);
        return store.list(query);
      },
      [this, limit, answer](Result<Rows> rows) {
        if (!rows) return answer.error(rows.error());
        protocol::SessionListResult result;
        if (rows->size() > static_cast<std::size_t>(limit)) {
          rows->pop_back();
          result.next_cursor = cursor_of(rows->back());
        }
        for (session::SessionRow& row : *rows) {
          const Session* here = sessions_.find(row.id);
          result.sessions.push_back(info_of(std::move(row), here != nullptr && here->active));
        }
        answer.result(result);
      }));
}

void Server::fork_session(protocol::SessionForkParams params,
                          Answer<protocol::SessionForkResult> answer) {
  if (params.before) {
    if (auto fault = point_fault(*params.before)) return answer.error(*fault);
  }
  const std::string fresh = engine_.ids().next("session");
  const auto now = std::chrono::floor<std::chrono::milliseconds>(engine_.io().clock().wall())
                       .time_since_epoch()
                       .count();
  ask_store(question<void>(
      [params = std::move(params), fresh, now](SessionStore& store) -> Result<void> {
        std::optional<session::Cut> cut;
        if (params.before) {
          auto found = cut_of(store, params.session_id, *params.before);
          if (!found) return found.error();
          cut = *found;
        }
        return session::fork_session(store, params.session_id, fresh, cut, now);
      },
      [answer, fresh](Result<void> forked) {
        if (!forked) return answer.error(forked.error());
        answer.result({fresh});
      }));
}

void Server::rewind_session(protocol::SessionRewindParams params,
                            Answer<protocol::SessionRewindResult> answer) {
  if (auto fault = point_fault(params.before)) return answer.error(*fault);
  if (wait_until_free(params.session_id, answer.reply(),
                      [this, params, answer] { rewind_session(params, answer); })) {
    return;
  }
  change_stored<session::FileRewind>(
      params.session_id,
      [params, &files = engine_.files()](SessionStore& store) -> Result<session::FileRewind> {
        auto cut = cut_of(store, params.session_id, params.before);
        if (!cut) return cut.error();
        return session::rewind_session(store, files, params.session_id, *cut,
                                       scope_of(params.restore));
      },
      [answer](Result<session::FileRewind> rewound) { tell_rewind(std::move(rewound), answer); });
}

void Server::undo_rewind(protocol::SessionParams params,
                         Answer<protocol::SessionRewindResult> answer) {
  if (wait_until_free(params.session_id, answer.reply(),
                      [this, params, answer] { undo_rewind(params, answer); })) {
    return;
  }
  change_stored<session::FileRewind>(
      params.session_id,
      [id = params.session_id, &files = engine_.files()](SessionStore& store) {
        return session::undo_rewind_session(store, files, id);
      },
      [answer](Result<session::FileRewind> undone) { tell_rewind(std::move(undone), answer); });
}

std::string Server::store_directory() {
  const auto store = storage_.store();
  return store ? store->directory() : std::string();
}

// No other process may write it meanwhile. What is in memory is forgotten with what changed: the
// next start reads the session anew.
template <class T>
void Server::change_stored(const std::string& session_id,
                           std::function<Result<T>(SessionStore&)> change,
                           std::function<void(Result<T>)> told) {
  sessions_.begin_opening(session_id);
  const auto took_it = std::make_shared<bool>(false);
  ask_store(question<T>(
      [session_id, took_it, directory = store_directory(), writer = storage_.writer(),
       change = std::move(change)](SessionStore& store) -> Result<T> {
        const auto there_is = store.row(session_id);
        if (!there_is) return there_is.error();
        const auto lock = session::SessionLock::take(directory, session_id, writer);
        if (!lock) return lock.error();
        *took_it = true;
        return change(store);
      },
      [this, session_id, took_it, told = std::move(told)](Result<T> changed) {
        // Also where it failed: the lock file does not tell any more who wrote before.
        if (*took_it) sessions_.forget(session_id);
        told(std::move(changed));
        end_opening(session_id);
      }));
}

void Server::rename_session(protocol::SessionRenameParams params, Answer<protocol::Empty> answer) {
  if (params.title.empty() || params.title.size() > kLongestTitle) {
    return answer.error(make_error(Code::invalid_input, "expected 1 to 500 bytes", "params.title"));
  }
  ask_store(question<void>(
      [params = std::move(params)](SessionStore& store) {
        return store.rename(params.session_id, params.title);
      },
      [answer](Result<void> renamed) {
        if (!renamed) return answer.error(renamed.error());
        answer.result({});
      }));
}

void Server::delete_session(protocol::SessionParams params, Answer<protocol::Empty> answer) {
  if (wait_until_free(params.session_id, answer.reply(),
                      [this, params, answer] { delete_session(params, answer); })) {
    return;
  }
  change_stored<void>(
      params.session_id,
      [id = params.session_id, directory = store_directory()](SessionStore& store) {
        auto removed = store.remove(id);
        if (removed) {
          session::forget_lock(directory, id);
          platform::remove_outputs(session::outputs_of(directory), id);
        }
        return removed;
      },
      [this, id = params.session_id, answer](Result<void> removed) {
        // One that was not stored is deleted once it is out of memory.
        const bool only_here =
            !removed && sessions_.find(id) != nullptr &&
            (removed.error().code == Code::not_found || removed.error().code == Code::unavailable);
        if (!removed && !only_here) return answer.error(removed.error());
        sessions_.forget(id);
        answer.result({});
      });
}

void Server::export_session(protocol::SessionExportParams params,
                            Answer<protocol::SessionExportResult> answer) {
  if (params.path && !is_absolute(*params.path)) {
    return answer.error(
        make_error(Code::invalid_input, "expected an absolute path", "params.path"));
  }
  export_next_page(std::make_shared<SessionExport>(std::move(params)), answer);
}

void Server::export_next_page(const std::shared_ptr<SessionExport>& under_way,
                              const Answer<protocol::SessionExportResult>& answer) {
  ask_store(question<bool>([under_way](SessionStore& store) { return under_way->take_page(store); },
                           [this, under_way, answer](Result<bool> more) {
                             if (!more) return answer.error(more.error());
                             if (*more) return export_next_page(under_way, answer);
                             answer.result(under_way->result());
                           }));
}

}  // namespace agentd::server
