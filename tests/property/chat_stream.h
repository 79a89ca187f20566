// A reply given as ModelEvents, as the bytes that a Chat Completions endpoint would stream for it.
#pragma once

#include "model/event.h"
#include "support/model_server.h"

namespace agentd::test {

/// What this API cannot say is left out: the ends of blocks, signatures. A Failed at the very front
/// becomes an HTTP error, one behind other events an error in the stream or, for stream_truncated
/// and network, a connection that just ends or is reset.
ServerReply chat_stream(const model::ModelEvents& events);

}  // namespace agentd::test
