// The everyday event of a stream, read without building a tree: a content_block_delta with text,
// thinking or input, its keys in the order the API sends them. A tree costs about a microsecond,
// and a reply has thousands of these. Anything not exactly in this shape is left to the parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/event.h"

namespace agentd::model {

struct UsualDelta {
  int index = 0;
  DeltaKind kind = DeltaKind::text;
  std::string text;
};

/// `data` is valid UTF-8. The API pads events with spaces before the last braces.
std::optional<UsualDelta> read_usual_delta(std::string_view data);

}  // namespace agentd::model
