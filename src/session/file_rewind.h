// Rewinding files: what the agent changed since a point of the log becomes again what it was, all
// of it or nothing, and once back. On the store's thread; blocks on the disk.
//
// A kill at any moment leaves each file either as it was or as it becomes, and a record of what was
// taken away, written before the first file is touched. The next call here begins by putting back
// what an unfinished rewind had done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/files.h"
#include "session/file_rewind_plan.h"
#include "session/store.h"

namespace agentd::session {

/// What was done; with conflicts nothing was.
struct FileRewind {
  std::vector<std::string> restored;  // paths
  std::vector<std::string> removed;   // made by the agent, and gone again
  std::vector<FileConflict> conflicts;
};

/// What else is done to the store when the files are done, in the transaction that says so: it
/// happens with them or not at all.
using DoneWith = std::function<Result<void>(const Transaction&)>;

/// Takes back what the agent changed when the log had `log_size` messages or more: for a log that
/// is cut to `log_size`. A file that is there keeps the mode it has: the agent never changed it.
/// Directories stay. Error: a file could not be written (those before it are put back; the error
/// names any that could not be), or the store failed.
Result<FileRewind> rewind_files(SessionStore& store, platform::Files& files,
                                const std::string& session, std::int64_t log_size,
                                const DoneWith& also = {});

/// Takes back the last rewind, until the agent changes a file again. Error: not_found if there is
/// none; else as above.
Result<FileRewind> undo_file_rewind(SessionStore& store, platform::Files& files,
                                    const std::string& session, const DoneWith& also = {});

/// Puts back what an unfinished rewind had done, where nobody changed it since. For a session that
/// is opened again: without it the agent's next change makes that rewind final half way.
Result<void> repair_file_rewind(SessionStore& store, platform::Files& files,
                                const std::string& session);

}  // namespace agentd::session
