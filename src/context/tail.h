// Tail: where a view may be cut, and how much of its end is kept. Pure; the rule behind all of it
// is that a call is never parted from its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "context/view.h"

namespace agentd::context {

/// The nearest index at or before `index` where a view may begin: not between a call and its
/// result. Indexes past the end count as the end.
std::size_t safe_cut(const View& view, std::size_t index);

/// The index from which messages are kept at a compaction: as many as fit into `budget` tokens
/// (estimated), whole messages, from a safe cut on; a user's message is kept with what answers it
/// where both fit. view.size() if not even the last fits.
std::size_t choose_tail(const View& view, std::int64_t budget);

/// The index from which messages are kept if `excess` tokens have to go. Whole rounds are dropped,
/// the oldest first: a round is a user's message with its replies and results. Where that would
/// leave nothing, as in a long run on one prompt, its replies are dropped with their results. At
/// least the last round's last reply is kept.
std::size_t rounds_to_drop(const View& view, std::int64_t excess);

/// What the user said last: the texts and images of one message, without what the engine added.
struct Request {
  std::size_t index = 0;  // of the message in the view
  std::string text;
  std::vector<ImageBlock> images;
};
std::optional<Request> last_request(const View& view);

}  // namespace agentd::context
