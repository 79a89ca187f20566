// Views: what is sent of a history, as pure functions from one view to the next. They keep the
// rules of normalise.h, share every message they do not change (whose encoded bytes are reused by
// its address) and give the same bytes for the same choice, so that a prompt cache that was made
// after a change stays good. The log is nothing they touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "message/message.h"

namespace agentd::context {

using View = std::vector<MessagePtr>;

/// Tokens of outputs that are not cleared, the newest, and what a clearing must free to be worth
/// the prompt cache that it costs: the figures that peers use.
inline constexpr std::int64_t kProtectedOutputTokens = 40'000;
inline constexpr std::int64_t kLeastClearedTokens = 20'000;

/// True if the message has calls, or results.
bool has_calls(const Message& message);
bool has_results(const Message& message);

/// True if an image is anywhere in the view, results included; thinking. Look at all of it.
bool has_images(const View& view);
bool has_thinking(const View& view);

/// Adds a message to the end of a view, joined with its last if both are of one role.
void push_joined(View& view, MessagePtr message);

/// The ids of the calls whose results may be cleared: those behind the newest `protected_tokens`
/// of results, and none of the last message, which the model has not seen. Empty if clearing them
/// frees less than `least`.
std::unordered_set<std::string> outputs_to_clear(const View& view, std::int64_t protected_tokens,
                                                 std::int64_t least);

/// The results of the calls in `ids` have a short note for their content.
View with_outputs_cleared(const View& view, const std::unordered_set<std::string>& ids);

/// Every image, in what was said and in results, is a text: `note`, not blank.
View with_images_replaced(const View& view, std::string_view note);

/// No thinking. A message that had nothing else is gone, and its neighbours are joined.
View with_thinking_stripped(const View& view);

/// The tokens of all its messages, estimated. Looks at all of them.
std::int64_t estimate(const View& view);

/// The index of the first message that is not shared by both.
std::size_t first_difference(const View& before, const View& after);

}  // namespace agentd::context
