// JSON text, appended straight to a string: the bottom of every encoder, ours and model/'s. No
// tree is built on the way. Pure functions, any thread; cost is one pass over the bytes.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace agentd::wire {

using Json = nlohmann::json;

/// `text` as a JSON string, quotes included. Ill-formed UTF-8 becomes U+FFFD.
void append_string(std::string& out, std::string_view text);

/// The same without the quotes, to add to a string that is still open. `text` must not begin or
/// end inside a character (hold back utf8::incomplete_tail), or that character becomes U+FFFD.
void append_escaped(std::string& out, std::string_view text);

void append_int(std::string& out, std::int64_t number);
void append_bool(std::string& out, bool value);

/// The shortest text that reads back as the same number, always with a point or an exponent, so
/// that it stays a float; NaN and infinities, which JSON cannot say, become null.
void append_double(std::string& out, double number);

/// Any JSON value, compact, object keys sorted as Json holds them.
void append_json(std::string& out, const Json& value);

/// `"key":`, with a comma before it unless `out` ends in `{`. The key is copied as it is: for
/// names from our own source.
void append_key(std::string& out, std::string_view key);

/// A comma, unless `out` ends in `[` or `{`.
void append_comma(std::string& out);

/// Compact or not, valid JSON text laid out with two spaces a level; order kept.
std::string indented(std::string_view json);

}  // namespace agentd::wire
