// Bytes that a program wrote, as text for the model: valid UTF-8, within a bound, and honest about
// what was replaced or left out. Also the same for live output, chunk by chunk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/commands.h"

namespace agentd::tools {

struct OutputText {
  std::string text;       // "" if nothing was written
  bool left_out = false;  // the middle is missing; the text says how much at that place
  bool binary = false;    // the text is only a note
};

/// At most about `head_limit` + `tail_limit` bytes of `output`.
OutputText output_text(const platform::CapturedOutput& output, std::size_t head_limit,
                       std::size_t tail_limit);

/// "123 bytes", "4.2 KB", "1.0 MB": for people and models.
std::string byte_count(std::uint64_t bytes);

/// A stream of chunks made valid UTF-8: a character cut by a chunk's end waits for its rest.
class Utf8Stream {
 public:
  /// What can be shown now; may be empty.
  std::string take(std::string_view chunk);
  /// What is left at the end of the stream.
  std::string finish();

 private:
  std::string held_;
};

}  // namespace agentd::tools
