// SessionLock: who may write a session. One agentd process at a time, by an advisory lock on a file
// of the session's own, which the kernel lets go when the process dies, however it dies. The file
// also says who wrote last, so that a process finds out that another one went on meanwhile.
// Blocks on the disk: the store's thread.
#pragma once

#include <string>

#include "base/result.h"
#include "platform/fd.h"

namespace agentd::session {

class SessionLock {
 public:
  /// `directory` is the store's; `writer` names this process's journal. Error: session_locked if
  /// another process, or another journal of this one, has it; the message says which process.
  static Result<SessionLock> take(const std::string& directory, const std::string& session_id,
                                  const std::string& writer);

  /// Nobody else has held it since `writer` did.
  bool was_ours() const { return was_ours_; }
  /// Nobody ever held it.
  bool is_new() const { return is_new_; }

 private:
  SessionLock(platform::Fd file, bool was_ours, bool is_new)
      : file_(std::move(file)), was_ours_(was_ours), is_new_(is_new) {}

  platform::Fd file_;  // closing it lets go
  bool was_ours_;
  bool is_new_;
};

/// Where the whole outputs of their commands are (platform/output_files.h).
inline std::string outputs_of(const std::string& directory) {
  return directory + "/outputs";
}

/// Removes the lock file of a session that is no more.
void forget_lock(const std::string& directory, const std::string& session_id);

}  // namespace agentd::session
