#include "session/opening.h"

#include <utility>

#include "session/file_rewind.h"
#include "session/interrupted.h"

namespace agentd::session {
namespace {

// A log that breaks a rule was mended on the way in: what follows the point it was read from is
// written anew, so that its numbers are those of the store. True: it was.
bool restore_history(const context::StoredHistory& stored, context::History& history) {
  history = context::History::restored(stored);
  if (history.log_size() != stored.log_size()) return true;
  history.forget_stored();
  return false;
}

// A rewind of files that was cut short stays so: it keeps nobody from going on.
std::string told_of(const Error& fault) {
  return "Files that agentd was rewinding when it was stopped could not be put back: " +
         fault.message + ". Look at them before you go on.";
}

Result<OpenedSession> restore(SessionStore& store, platform::Files& files,
                              std::shared_ptr<StoreThread> thread, Clock& clock,
                              const std::string& writer, const std::string& id, SessionLock lock) {
  OpenedSession opened;
  const auto repaired = repair_file_rewind(store, files, id);
  if (!repaired) opened.fault = told_of(repaired.error());
  auto stored = store.load(id);
  if (!stored) return stored.error();
  auto wishes = restore_state(stored->row.state, opened.conversation);
  if (!wishes) return wishes.error();
  opened.wishes = std::move(*wishes);
  opened.conversation.workspace = stored->row.workspace;
  const bool mended = restore_history(stored->history, opened.conversation.history);
  auto last_run = store.last_run(id);
  if (!last_run) return last_run.error();
  auto closing = closing_parts(*last_run, stored->draft);
  if (!closing) return closing.error();
  const Stored there{true, opened.conversation.history.log_size(),
                     last_run->empty() ? 0 : last_run->back().number, !stored->draft.empty()};

  opened.row = stored->row;
  opened.journal = std::make_shared<SessionJournal>(std::move(thread), clock, writer, stored->row,
                                                    there, std::move(lock));
  opened.journal->set_wishes(opened.wishes);
  if (mended) opened.journal->clear_log(stored->history.log_begin, stored->history.changes_begin);
  for (ClosingPart& part : *closing) {
    opened.journal->keep_part(last_run->back().run, part.method, std::move(part.params));
  }
  for (Message& message : closed_reply(stored->draft)) {
    opened.conversation.history.append(std::move(message));
  }
  opened.journal->keep(opened.conversation);
  opened.journal->drop_reply();  // one of which nothing could be kept
  // What the disk does not take now waits in the journal; the run says so.
  (void)opened.journal->write(&store);
  return opened;
}

// Nobody can say whether there is such a session.
Error unless_not_found(Error error) {
  if (error.code != Code::not_found) error.code = Code::unavailable;
  return error;
}

}  // namespace

Result<OpenedSession> open_session(SessionStore& store, platform::Files& files,
                                   std::shared_ptr<StoreThread> thread, Clock& clock,
                                   const std::string& writer, const std::string& id) {
  const auto there_is = store.row(id);  // before a lock file is made for it
  if (!there_is) return unless_not_found(there_is.error());
  auto lock = SessionLock::take(thread->directory(), id, writer);
  if (!lock) return lock.error();
  auto opened = restore(store, files, std::move(thread), clock, writer, id, std::move(*lock));
  // There is such a session: who cannot have it must not take it for a new one.
  if (!opened && opened.error().code != Code::session_locked) opened.error().code = Code::io;
  return opened;
}

Result<SessionLock> reserve_session(SessionStore& store, const StoreThread& thread,
                                    const std::string& writer, const std::string& id) {
  auto lock = SessionLock::take(thread.directory(), id, writer);
  if (!lock) return lock;
  const auto there_is = store.row(id);
  if (there_is) return make_error(Code::conflict, "the session \"" + id + "\" is there already");
  if (there_is.error().code != Code::not_found) return there_is.error();
  return lock;
}

}  // namespace agentd::session
