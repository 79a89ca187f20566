// UTF-8: validity and cutting. Everything that goes to a client or a model is valid UTF-8; text
// is cut only between characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agentd::utf8 {

/// True if `text` is well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
bool valid(std::string_view text);

/// `text` with each maximal ill-formed sequence replaced by U+FFFD. Counts the replacements.
std::string repaired(std::string_view text, std::size_t* replaced = nullptr);

/// The longest prefix of at most `bytes` bytes that does not end inside a character.
std::string_view head(std::string_view text, std::size_t bytes);

/// The longest suffix of at most `bytes` bytes that does not begin inside a character.
std::string_view tail(std::string_view text, std::size_t bytes);

/// How many bytes at the end of `text` are the beginning of a character not yet complete (0 to 3):
/// hold them back until the next chunk arrives.
std::size_t incomplete_tail(std::string_view text);

}  // namespace agentd::utf8
