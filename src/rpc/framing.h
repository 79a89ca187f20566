// Framing: where one message ends and the next begins in a stream of bytes. Two ways: the LSP base
// protocol (a header with Content-Length, in bytes), and one JSON text per line. Owned by whoever
// reads the descriptor; a plain object without threads.
//
// It never gives up on a stream. What cannot be a message is told once, as a fault, and skipped up
// to the next Content-Length header or line: such a header cannot stand inside valid JSON, where a
// line break in a string is escaped and letters stand only in strings, so the search is sound even
// through the body of a message that was refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentd::rpc {

enum class Framing {
  automatic,  // decided by the first byte: `{` or `[` means lines, anything else headers
  headers,
  lines,
};

/// The longest message taken; longer ones are refused and skipped.
inline constexpr std::size_t kMaxMessageBytes = 64u * 1024 * 1024;

struct Frame {
  enum class Kind {
    message,    // `text` is the message
    malformed,  // bytes that are no frame were skipped; `text` says what was wrong
    too_large,  // a message beyond the limit was skipped; `text` says how large
  };
  Kind kind = Kind::message;
  std::string text;
};

class FrameReader {
 public:
  explicit FrameReader(Framing framing, std::size_t limit = kMaxMessageBytes)
      : framing_(framing), limit_(limit) {}

  /// Adds bytes as they were read, in pieces of any size.
  void feed(std::string_view bytes);

  /// The next whole frame, if there is one.
  std::optional<Frame> next();

  /// No more bytes come. A last line without its line end is a message; half a frame is dropped.
  void finish();

  /// What was decided; automatic until the first byte came.
  Framing framing() const { return framing_; }

 private:
  bool decide();
  std::optional<Frame> next_by_headers();
  std::optional<Frame> next_by_lines();
  std::optional<Frame> take_header_line(std::string_view line);
  std::optional<Frame> end_of_headers();
  void note_content_length(std::string_view value);
  void drop_endless_line();
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
  void consume(std::size_t bytes);

  Framing framing_;
  std::size_t limit_;
  std::string buffer_;
  std::size_t begin_ = 0;     // buffer_ before it is consumed
  std::size_t searched_ = 0;  // no line end in this many bytes of rest()
  bool at_start_ = true;      // a byte order mark may come
  bool finished_ = false;

  // Headers: what the header read so far says.
  bool header_begun_ = false;
  std::string header_fault_;  // why this header is no good; empty: nothing so far
  std::optional<std::uint64_t> content_length_;
  std::optional<std::size_t> body_;  // the header is complete, this many bytes follow
  bool lost_ = false;                // a fault was told; nothing more is until a message came

  // Lines: the line under way is beyond the limit and is being skipped.
  bool skipping_line_ = false;
};

/// Appends `body` to `out` as one frame. `framing` is not automatic.
void append_frame(std::string& out, Framing framing, std::string_view body);

}  // namespace agentd::rpc
