// JSON handled as text, for the two places in a decoder where a tree would cost too much or lose
// bytes: the everyday delta, and blocks that must go back as they came. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentd::model {

/// The value of `key` in the JSON object `object`, as its bytes stand there. `object` must be valid
/// JSON; only its top level is searched.
std::optional<std::string_view> find_member(std::string_view object, std::string_view key);

/// The elements of the JSON array `array`, as their bytes stand there. `array` must be valid JSON.
std::vector<std::string_view> elements(std::string_view array);

/// Puts `value` (JSON text) in place of the value of `key`, or adds the member at the end.
void set_member(std::string& object, std::string_view key, std::string_view value);

/// Reads the rest of a JSON string, behind its opening quote, onto `out`, and returns what
/// follows the closing quote; nothing if it is not a proper JSON string. Lone surrogates become
/// U+FFFD. `text` is valid UTF-8.
std::optional<std::string_view> read_string(std::string_view text, std::string& out);

}  // namespace agentd::model
