// ViewChange: what was done to a view, as a value that can be stored with the log. Done again to
// the same messages it gives the same view, byte for byte: a session that is loaded sends what it
// would have sent, and a prompt cache that still lives is hit.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "context/view.h"

namespace agentd::context {

/// `head` became the first message, in place of what stood before index `keep_from`.
struct Compacted {
  std::vector<Block> head;  // fits the rules, holds no results, not empty
  std::size_t keep_from = 0;
};
struct OutputsCleared {
  std::unordered_set<std::string> tool_use_ids;
};
struct ImagesReplaced {
  std::string note;
};
struct ThinkingStripped {};

using ViewChange = std::variant<Compacted, OutputsCleared, ImagesReplaced, ThinkingStripped>;

View changed_view(const View& view, const ViewChange& change);

/// A change, and how many messages the log had when it was made.
struct RecordedChange {
  std::size_t log_size = 0;
  ViewChange change;
  /// Of the last compaction: the view that it made. From there a history can be restored without
  /// what was said before.
  View view = {};
};

}  // namespace agentd::context
