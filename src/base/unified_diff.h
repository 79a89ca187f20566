// Unified diffs: the preview of a question, the details of a result, what changed on disk. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agentd {

struct Diff {
  std::string text;         // valid UTF-8; empty if nothing differs
  std::size_t added = 0;    // lines
  std::size_t removed = 0;  // lines
};

/// Headers "--- a/PATH" and "+++ b/PATH" ("/dev/null" instead of a file that `created` names as
/// new), hunks with three lines of context. Bounded in time and size: two texts that share little
/// are shown as one block replaced by another, and the text is cut past 128 KB, saying so.
Diff unified_diff(std::string_view path, std::string_view before, std::string_view after,
                  bool created = false);

}  // namespace agentd
