// Replacing a file in one step: a temporary file beside it, then rename; and removing one, with the
// same care. Blocks on the disk; any thread that may.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentd::platform {

/// As Files::replace, for a canonical `path`. Decisions:
///  - No fsync. The rename is atomic for every reader; against a power cut the common file systems
///    write the data out before a rename over an old file, and 5 to 30 ms an edit would be felt.
///  - A file with several hard links is parted from them: the other names keep the old content.
///    Writing in place would be neither atomic nor wanted (a package store whose files are linked
///    into many projects would be changed in all of them).
///  - A file its user made read-only stays as it is, although rename would not mind.
///  - Owner and group are kept where the system permits; else the file is ours, without set-id
///    bits.
///  - `mode` counts at once, whatever the old file had; set-id bits only where the owner is kept.
Result<void> replace_file(const std::string& path, std::string_view content,
                          std::optional<std::uint32_t> mode = std::nullopt);

/// As Files::remove, for a canonical `path`.
Result<void> remove_file(const std::string& path);

}  // namespace agentd::platform
