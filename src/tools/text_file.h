// What kind of bytes a file holds, and the habits of a text file that a change must keep: byte
// order mark and line ends. Pure functions over the whole content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agentd::tools {

inline constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";

/// Files above this are neither hashed nor edited: Read shows ranges of them, Write and Edit
/// refuse.
inline constexpr std::uint64_t kLargestEditable = 16u << 20;

enum class ContentKind { text, utf16, binary };

/// Judged by the first 8 KB: a UTF-16 mark; a NUL or mostly control characters.
ContentKind content_kind(std::string_view content);

/// "a UTF-16 file" or "an ELF program": for the message that refuses it.
std::string describe_binary(std::string_view content);

bool has_bom(std::string_view content);
std::string_view without_bom(std::string_view content);

enum class LineEnds { none, lf, crlf, mixed };
LineEnds line_ends(std::string_view content);

/// Every lone "\n" becomes "\r\n".
std::string to_crlf(std::string_view text);

}  // namespace agentd::tools
