// What a rewind of files would do: which get which content back, and which cannot because somebody
// else changed them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/read_set.h"
#include "session/store_checkpoints.h"

namespace agentd::session {

/// What is on disk.
struct FileNow {
  enum class Is { absent, regular, other };

  Is is = Is::absent;
  platform::ContentHash hash;  // of a regular one, as are all of these
  std::uint32_t mode = 0;      // permission bits
  std::string content;
  std::string fault;  // of another: why it is none that could be restored
};

struct FileConflict {
  enum class Why {
    changed,          // it is not as the last of the changes left it
    removed,          // likewise: it is gone
    changed_between,  // between two of the changes: going back would lose that
    not_restorable,   // a link in its path, a directory in its place, larger than is kept
    never_kept,       // what it was could not be kept: too large, or not readable
    dropped,          // what it was gave way to newer contents
  };

  std::string path;
  Why why = Why::changed;
  std::string detail;  // of not_restorable
};

/// In words for a person, without the path.
std::string describe(const FileConflict& conflict);

struct PlannedFile {
  std::string path;
  std::optional<platform::ContentHash> becomes;  // nullopt: it is removed
  std::uint32_t mode = 0;                        // counts where there is no file now
};

struct FileRewindPlan {
  std::vector<PlannedFile> files;       // nothing of those that are as they were
  std::vector<FileConflict> conflicts;  // any: nothing may be done
};

/// `changes` in the order in which they were made; `now` has an entry for each of their paths.
FileRewindPlan plan_file_rewind(const std::vector<FileChange>& changes,
                                const std::map<std::string, FileNow>& now);

}  // namespace agentd::session
