// UsualChunk: the everyday chunk of a Chat Completions stream, read without building a tree. The
// chunks of one stream differ in a single string (a piece of text, of reasoning, of arguments), so
// what stands before and behind it in a chunk that was parsed tells the next one. A tree costs a
// few microseconds, and a reply has thousands of chunks. Owned by a decoder.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "message/message.h"

namespace agentd::model {

/// Which member of a delta the string is.
enum class ChunkMember { content, reasoning_content, reasoning };

class UsualChunk {
 public:
  struct Piece {
    ChunkMember member = ChunkMember::content;
    std::string text;
  };

  /// The piece that `data` (valid UTF-8) holds, if it is like a chunk learnt but for that string.
  std::optional<Piece> read(std::string_view data) const;

  /// `chunk` is `data` parsed. Kept in mind if all it says is one piece.
  void learn(std::string_view data, const Json& chunk);

 private:
  struct Frame {
    std::string before;  // up to the quote that opens the string; empty: none learnt
    std::string behind;  // from the byte after the quote that closes it
  };
  std::array<Frame, 3> frames_;  // by member
};

}  // namespace agentd::model
