// A reply given as ModelEvents, as the bytes that an Anthropic endpoint would stream for it.
#pragma once

#include "model/event.h"
#include "support/model_server.h"

namespace agentd::test {

/// A Failed at the very front becomes an HTTP error, one behind other events an error event or,
/// for stream_truncated and network, a connection that just ends or is reset.
ServerReply anthropic_stream(const model::ModelEvents& events);

}  // namespace agentd::test
