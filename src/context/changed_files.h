// Changed files: which of the files that a session has read are no longer what it saw, because the
// user or a program wrote them. Looks at size and time first and reads only what may have changed.
// Reads the disk: not on a thread that must not wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "context/attachment.h"
#include "platform/files.h"
#include "platform/read_set.h"

namespace agentd::context {

inline constexpr std::size_t kChangedDiffBytes = 8 * 1024;            // of one file's diff
inline constexpr std::uint64_t kChangedFileBytes = 16 * 1024 * 1024;  // larger: told, not read

struct ChangedFile {
  enum class What { changed, deleted, unreadable };
  std::string path;
  What what = What::changed;
  std::string diff;  // unified; cut to kChangedDiffBytes with a note. Empty: there is none to show
};

/// Each change is told once: a changed file counts from now on as read in part, so that Edit may
/// go on and Write, which replaces what was perhaps never shown, asks for a Read first; one that
/// is gone or cannot be read counts as never read. `now` is wall time: a file written within the
/// last two seconds is read even if its size and time are the ones known, for two writes may share
/// a time.
std::vector<ChangedFile> changed_files(platform::ReadSet& read_set, platform::Files& files,
                                       std::chrono::system_clock::time_point now);

Attachment changed_file_attachment(const ChangedFile& file);

}  // namespace agentd::context
