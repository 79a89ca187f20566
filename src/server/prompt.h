// A prompt as the protocol carries it -> blocks of a user message. Pure.
#pragma once

#include <vector>

#include "base/result.h"
#include "message/message.h"
#include "protocol/content.h"

namespace agentd::server {

/// Error: invalid_input with the path of what cannot be sent to a model: nothing at all, an image
/// of an unknown type or with data that is not base64.
Result<std::vector<Block>> to_blocks(protocol::Prompt prompt);

}  // namespace agentd::server
