// Rewinding a session: the conversation, the files that the agent changed, or both go back to a
// point, and once forth again. On the store's thread, whose process holds the session's lock.
#pragma once

#include <string>

#include "platform/files.h"
#include "session/file_rewind.h"
#include "session/store.h"

namespace agentd::session {

struct RewindScope {
  bool conversation = true;
  bool files = true;
};

/// All of it or nothing, whatever comes between; with conflicts nothing was done, and what an
/// earlier rewind took away can still be brought back. Errors: not_found; what rewind_files() says.
Result<FileRewind> rewind_session(SessionStore& store, platform::Files& files,
                                  const std::string& session, const Cut& cut, RewindScope scope);

/// Takes back what was rewound last of the conversation and of the files. Errors: not_found if
/// there is nothing (any more); conflict if the session has gone on since.
Result<FileRewind> undo_rewind_session(SessionStore& store, platform::Files& files,
                                       const std::string& session);

/// A copy of `session` up to the cut, or of all of it; as SessionStore::fork().
Result<void> fork_session(SessionStore& store, const std::string& session,
                          const std::string& new_id, const std::optional<Cut>& cut,
                          std::int64_t now);

}  // namespace agentd::session
