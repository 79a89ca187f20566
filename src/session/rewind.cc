#include "session/rewind.h"

#include <utility>

#include "session/stored_state.h"

namespace agentd::session {
namespace {

// Part of what the model was told is gone from the conversation: it is told of its surroundings,
// memory files and plan mode again, and reads files before it changes them. What it meant to do and
// where it had gone belong to what was cut.
Result<void> forget_what_was_told(SessionStore& store, const std::string& session, const Cut& cut) {
  auto row = store.row(session);
  if (!row) return row.error();
  agent::Conversation conversation;
  auto wishes = restore_state(row->state, conversation);
  if (!wishes) return wishes.error();
  if (cut.log_size == 0) conversation.environment.clear();
  conversation.cwd = row->workspace;
  conversation.todos = {};
  conversation.told_memory.clear();
  conversation.shown_attachments.clear();
  conversation.plan_mode_told = false;
  conversation.window_exceeded = 0;
  conversation.read_set = std::make_shared<platform::ReadSet>();
  row->state = state_json(conversation, *wishes);
  return store.update(*row);
}

// One rewind can be undone, the last: what an earlier one took away goes with it.
Result<void> rewind_stored(SessionStore& store, const Transaction& whole,
                           const std::string& session, const Cut& cut, RewindScope scope) {
  auto done = store.checkpoints().forget_cut(session);
  if (!done) return done;
  if (!scope.conversation) return store.forget_rewind(session);
  done = store.rewind(whole, session, cut);
  if (done) done = forget_what_was_told(store, session, cut);
  if (done && !scope.files) done = store.checkpoints().log_was_cut(whole, session, cut.log_size);
  return done;
}

Result<void> undo_stored(SessionStore& store, const Transaction& whole,
                         const std::string& session) {
  auto undone = store.undo_rewind(whole, session);
  return undone ? store.checkpoints().log_cut_was_undone(session) : undone;
}

}  // namespace

Result<FileRewind> rewind_session(SessionStore& store, platform::Files& files,
                                  const std::string& session, const Cut& cut, RewindScope scope) {
  auto repaired = repair_file_rewind(store, files, session);
  if (!repaired) return repaired.error();
  if (scope.files) {
    const auto changes = store.checkpoints().since(session, cut.log_size);
    if (!changes) return changes.error();
    // Otherwise the rewind of the files forgets the earlier one itself, once it is sure to happen.
    const bool no_changes = changes->empty();
    return rewind_files(store, files, session, cut.log_size, [&](const Transaction& whole) {
      auto done = no_changes ? store.checkpoints().forget_rewind(whole, session) : Result<void>();
      return done ? rewind_stored(store, whole, session, cut, scope) : done;
    });
  }
  auto transaction = store.begin();
  if (!transaction) return transaction.error();
  auto done = store.checkpoints().forget_rewind(*transaction, session);
  if (done) done = rewind_stored(store, *transaction, session, cut, scope);
  if (done) done = transaction->commit();
  if (!done) return done.error();
  return FileRewind{};
}

Result<FileRewind> undo_rewind_session(SessionStore& store, platform::Files& files,
                                       const std::string& session) {
  const auto said = store.may_undo_rewind(session);
  if (!said && said.error().code != Code::not_found) return said.error();
  DoneWith also;
  if (said) also = [&](const Transaction& whole) { return undo_stored(store, whole, session); };
  const auto of_files = store.checkpoints().last_rewind(session);
  if (!of_files) return of_files.error();
  if (*of_files) return undo_file_rewind(store, files, session, also);
  if (!said) return said.error();
  auto transaction = store.begin();
  if (!transaction) return transaction.error();
  auto undone = undo_stored(store, *transaction, session);
  if (undone) undone = transaction->commit();
  if (!undone) return undone.error();
  return FileRewind{};
}

Result<void> fork_session(SessionStore& store, const std::string& session,
                          const std::string& new_id, const std::optional<Cut>& cut,
                          std::int64_t now) {
  auto transaction = store.begin();
  if (!transaction) return transaction.error();
  auto done = store.fork(*transaction, session, new_id, cut, now);
  if (done && cut) done = forget_what_was_told(store, new_id, *cut);
  return done ? transaction->commit() : done;
}

}  // namespace agentd::session
