// Files by age: what Glob and Grep list. Reads file metadata; tool threads only.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "platform/files.h"

namespace agentd::tools {

/// Records separated by NUL, as rg -0 prints paths.
std::vector<std::string> split_records(std::string_view output);

/// Newest first, then by name. Paths are relative to `directory`; a file that has vanished counts
/// as oldest. Returns early, unsorted, once `stop` is requested.
void sort_newest_first(std::vector<std::string>& paths, const std::string& directory,
                       platform::Files& files, const std::stop_token& stop);

}  // namespace agentd::tools
