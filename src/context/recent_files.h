// Recent files: what was read last, put back after a compaction has taken it out of the view. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "context/attachment.h"
#include "platform/read_set.h"

namespace agentd::context {

inline constexpr std::size_t kRecentFiles = 5;
inline constexpr std::size_t kRecentFileBytes = 20'000;  // of one; a longer file is cut

/// The files that were read or written last, the latest first, as the session knows them (run
/// changed_files before). Those whose content is no longer kept, or is no text, are passed over.
std::vector<Attachment> recent_files(const platform::ReadSet& read_set,
                                     std::size_t count = kRecentFiles,
                                     std::size_t bytes_of_one = kRecentFileBytes);

}  // namespace agentd::context
