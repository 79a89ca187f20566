#include "session/rewind.h"

#include <utility>

#include "session/stored_state.h"

namespace agentd::session {
namespace {

// Part of what the model was told is gone from the conversation: it is told of its surroundings,
// memory files and plan mode again, and reads files before it changes them.
Result<void> forget_what_was_told(SessionStore& store, const std::string& session, const Cut& cut) {
  auto row = store.row(session);
  if (!row) return row.error();
  agent::Conversation conversation;
  auto wishes = restore_state(row->state, conversation);
  if (!wishes) return wishes.error();
  if (cut.log_size == 0) conversation.environment.clear();
  conversation.told_memory.clear();
  conversation.shown_attachments.clear();
  conversation.plan_mode_told = false;
  conversation.window_exceeded = 0;
  conversation.read_set = std::make_shared<platform::ReadSet>();
  row->state = state_json(conversation, *wishes);
  return store.update(*row);
}

Result<void> rewind_conversation(SessionStore& store, const std::string& session, const Cut& cut,
                                 bool files_stay) {
  auto done = store.rewind(session, cut);
  if (done) done = forget_what_was_told(store, session, cut);
  if (done && files_stay) done = store.checkpoints().log_was_cut(session, cut.log_size);
  return done;
}

}  // namespace

// One rewind can be undone, the last: what an earlier one took away goes with it.
Result<FileRewind> rewind_session(SessionStore& store, platform::Files& files,
                                  const std::string& session, const Cut& cut, RewindScope scope) {
  auto forgotten = repair_file_rewind(store, files, session);
  if (forgotten) forgotten = store.checkpoints().forget_rewind(session);
  if (!forgotten) return forgotten.error();
  FileRewind done;
  if (scope.files) {
    auto rewound = rewind_files(store, files, session, cut.log_size);
    if (!rewound || !rewound->conflicts.empty()) return rewound;
    done = std::move(*rewound);
  }
  auto cut_off = scope.conversation ? rewind_conversation(store, session, cut, !scope.files)
                                    : store.forget_rewind(session);
  if (cut_off) return done;
  if (scope.files) (void)undo_file_rewind(store, files, session);  // all or nothing
  return cut_off.error();
}

Result<FileRewind> undo_rewind_session(SessionStore& store, platform::Files& files,
                                       const std::string& session) {
  const auto said = store.may_undo_rewind(session);
  if (!said && said.error().code != Code::not_found) return said.error();
  auto of_files = undo_file_rewind(store, files, session);
  const bool no_files = !of_files && of_files.error().code == Code::not_found;
  if (no_files && !said) return said.error();
  if (!no_files && (!of_files || !of_files->conflicts.empty())) return of_files;
  if (said) {
    auto undone = store.undo_rewind(session);
    if (undone) undone = store.checkpoints().log_cut_was_undone(session);
    if (!undone) return undone.error();
  }
  if (no_files) return FileRewind{};
  return of_files;
}

Result<void> fork_session(SessionStore& store, const std::string& session,
                          const std::string& new_id, const std::optional<Cut>& cut,
                          std::int64_t now) {
  auto forked = store.fork(session, new_id, cut, now);
  if (!forked || !cut) return forked;
  return forget_what_was_told(store, new_id, *cut);
}

}  // namespace agentd::session
