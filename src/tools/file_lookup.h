// Finding the file a model means: the exact path, else the one file whose name looks the same;
// and, when there is none, what to say so that the next attempt is right. Reads directories.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "platform/files.h"

namespace agentd::tools {

/// The path of the only file that looks like `path` (folded_name) where `path` itself does not
/// exist. Not if that is a symlink or lies behind one: it could lead to where nobody asked.
std::optional<std::string> look_alike(const std::string& path, platform::Files& files);

/// "/x/y.txt does not exist. Did you mean ...?" with up to three names of the same directory.
std::string missing_file_text(const std::string& path, const std::string& cwd,
                              platform::Files& files);

/// Why something that is not a regular file cannot be read or written, and what to do instead.
std::string not_regular_text(const std::string& path, platform::FileKind kind);

}  // namespace agentd::tools
