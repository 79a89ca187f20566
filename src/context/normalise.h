// Normalise: the rules of a valid history, as pure functions on messages. Part of what makes a
// request that no API refuses; History applies them to everything it is given.
#pragma once

#include <vector>

#include "message/message.h"

namespace agentd::context {

/// Makes every string valid UTF-8, drops empty and blank text blocks, fills empty results.
void repair_blocks(std::vector<Block>& blocks);

/// Thinking that nothing follows: of a reply that was cut. An API refuses a message that ends in
/// it.
void drop_last_thinking(std::vector<Block>& blocks);

/// The ids of the tool_use blocks of `message`, in order.
std::vector<std::string> tool_use_ids(const Message& message);

/// `blocks` of the message after one that made `calls`: exactly one result per call, in the order
/// of the calls and in front of everything else; results without a call are dropped.
std::vector<Block> pair_results(std::vector<Block> blocks, const std::vector<std::string>& calls);

}  // namespace agentd::context
