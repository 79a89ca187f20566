// Trust: the directories whose own files (hooks, commands, environment) the user lets decide
// something. One file, {"directories": ["/home/u/project"]}, canonical paths. Blocks on the disk;
// any thread that may. Two who add at the same moment: one of the two may be lost, never the file.
#pragma once

#include <string>

#include "base/result.h"
#include "config/user_directories.h"
#include "platform/files.h"

namespace agentd::config {

/// `trusted.json` in data_directory(); empty if there is none.
std::string trust_file(const Environment& environment);

/// True if `directory` (absolute) or a directory above it is in the list `file`, links resolved. No
/// list means no trust. An error, which must be told and means no trust either: the list cannot be
/// read.
Result<bool> is_trusted(const std::string& file, const std::string& directory,
                        platform::Files& files);

/// Adds `directory` (absolute) to the list, made if absent; its canonical path. Refused if it is
/// not a directory, or if the list is there but cannot be read.
Result<std::string> trust(const std::string& file, const std::string& directory,
                          platform::Files& files);

}  // namespace agentd::config
