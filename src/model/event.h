// ModelEvent: what a model's stream says, the same for every vendor. The border below which all
// of a vendor's quirks are dealt with: above it block numbers count up from 0 in the order blocks
// began, every block is begun before its deltas and ended at most once, and text is valid UTF-8.
//
// Order of one stream: MessageBegan? (BlockBegan Delta* BlockEnded?)* (StopTold)? then exactly one
// of MessageEnded (a positive end) and Failed. Blocks may interleave; UsageTold stands anywhere.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "message/message.h"
#include "model/failure.h"

namespace agentd::model {

struct MessageBegan {
  std::string model;  // as the endpoint names it; may be empty
};

enum class BlockKind { text, thinking, redacted_thinking, tool_use, opaque };

struct BlockBegan {
  int block = 0;
  BlockKind kind = BlockKind::text;
  std::string tool_use_id;  // tool_use: as the endpoint gave it, may be empty or repeated
  std::string tool_name;    // tool_use
};

enum class DeltaKind { text, thinking, input };

struct Delta {
  int block = 0;
  DeltaKind kind = DeltaKind::text;
  std::string text;  // input: a piece of JSON text
};

/// The block is closed by its own stop. A tool_use block without any input yet is closed only when
/// the reply has moved on (the next block began or the message ended).
struct BlockEnded {
  int block = 0;
  std::optional<std::string> signature;  // thinking
  std::string data;                      // redacted_thinking: data; opaque: the whole block as JSON
};

struct UsageTold {
  Usage usage;  // cumulative
};

enum class StopReason {
  end_turn,
  tool_use,
  max_tokens,
  stop_sequence,
  pause_turn,
  refusal,
  context_window_exceeded,
  timeout,  // the endpoint ran out of its own time
  unknown,
};

std::string_view to_string(StopReason reason);

struct StopTold {
  StopReason reason = StopReason::unknown;
  std::string wire;         // the endpoint's own word
  std::string explanation;  // of a refusal, for people
};

struct MessageEnded {};

struct Failed {
  ModelFailure failure;
};

using ModelEvent = std::variant<MessageBegan, BlockBegan, Delta, BlockEnded, UsageTold, StopTold,
                                MessageEnded, Failed>;

/// Events come in batches: all that one chunk from the network held.
using ModelEvents = std::vector<ModelEvent>;

/// Adds `delta`, to the batch's last event where that is a delta of the same block.
void append_delta(ModelEvents& events, Delta delta);

}  // namespace agentd::model
