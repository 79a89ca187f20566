// Opening a stored session to go on with it: the lock that makes this process its writer, the
// conversation as it was, and an end for whatever a kill left open. Store's thread.
#pragma once

#include <memory>
#include <string>

#include "agent/conversation.h"
#include "base/clock.h"
#include "session/journal.h"
#include "session/store.h"
#include "session/store_thread.h"
#include "session/stored_state.h"

namespace agentd::session {

struct OpenedSession {
  SessionRow row;
  agent::Conversation conversation;
  StoredWishes wishes;
  std::shared_ptr<SessionJournal> journal;  // holds the session; release() it if no run follows
  std::string fault;                        // for the user: what could not be put right; or empty
};

/// Error: not_found; session_locked (another process runs it); io if what is there cannot be had;
/// unavailable if nobody can say whether there is such a session.
Result<OpenedSession> open_session(SessionStore& store, platform::Files& files,
                                   std::shared_ptr<StoreThread> thread, Clock& clock,
                                   const std::string& writer, const std::string& id);

/// Takes the name of a session that is not there for one that is about to be made. Error: conflict
/// (it is there by now); session_locked (another process is making it); what the disk said.
Result<SessionLock> reserve_session(SessionStore& store, const StoreThread& thread,
                                    const std::string& writer, const std::string& id);

}  // namespace agentd::session
