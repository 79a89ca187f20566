// The input of a call, from the JSON text that the model streamed: strictly one JSON object, never
// repaired, never in part. No text at all means {}.
#pragma once

#include <string_view>

#include "base/result.h"
#include "message/message.h"

namespace agentd::agent {

/// Error: invalid_input, told to the model as it stands.
Result<Json> parse_call_input(std::string_view text);

}  // namespace agentd::agent
