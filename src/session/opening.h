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
};

/// Error: not_found; session_locked (another process runs it); io if what is stored cannot be read.
Result<OpenedSession> open_session(SessionStore& store, platform::Files& files,
                                   std::shared_ptr<StoreThread> thread, Clock& clock,
                                   const std::string& writer, const std::string& id);

}  // namespace agentd::session
