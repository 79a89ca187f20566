// Text as Read shows it: each line with its number, within the bounds of lines, line length and
// bytes, and an account of what was left out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agentd::tools {

inline constexpr std::size_t kReadLines = 2000;           // unless a limit is asked for
inline constexpr std::size_t kReadLineCharacters = 2000;  // of one line
inline constexpr std::size_t kReadBytes = 256 * 1024;     // of one result

struct LineWindow {
  std::string text;       // "     1\tfirst line\n..."; valid UTF-8
  std::size_t first = 0;  // numbers of the lines shown; both 0 if none is
  std::size_t last = 0;
  std::size_t lines_cut = 0;  // longer than kReadLineCharacters
  bool bytes_full = false;    // stopped at kReadBytes
  bool reached_end = false;   // nothing of `content` follows
  std::size_t replaced = 0;   // byte sequences that are not UTF-8
};

/// Shows at most `limit` lines of `content`, whose first line has the number `first_number`.
LineWindow number_lines(std::string_view content, std::size_t first_number, std::size_t limit);

/// The offset of line `index` (from 0) in `content`; npos if there are not so many.
std::size_t line_offset(std::string_view content, std::size_t index);

/// A last line without a line end counts.
std::size_t count_lines(std::string_view content);

}  // namespace agentd::tools
