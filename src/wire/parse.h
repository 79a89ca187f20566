// parse: foreign text to a JSON value, whatever the text is: no exception leaves, no depth
// overflows a stack, no number aborts. Lookup of members for code that reads foreign JSON by hand
// (json::value() throws on a wrong type, so it is never used). Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentd::wire {

using Json = nlohmann::json;

inline constexpr std::size_t kMaximumDepth = 512;

/// One JSON value and nothing after it. Of a key that stands twice in an object the last wins, as
/// in most readers. An escaped lone surrogate (JavaScript sends them) becomes U+FFFD; bytes that
/// are not UTF-8 are an error. Errors are invalid_input and name line and column.
Result<Json> parse(std::string_view text, std::size_t maximum_depth = kMaximumDepth);

/// `text` with every escaped lone surrogate replaced by an escaped U+FFFD; nullopt if there is
/// none.
std::optional<std::string> without_lone_surrogates(std::string_view text);

/// The member, or nullptr if `object` is not an object or has no such member. A null member counts
/// as absent.
const Json* member(const Json& object, std::string_view key);

/// The same, and a null value in place of nullptr.
const Json& member_or_null(const Json& object, std::string_view key);

/// The same, and nullopt too if it has another type. The view lives as long as `object`.
std::optional<std::string_view> string_member(const Json& object, std::string_view key);
std::optional<std::int64_t> integer_member(const Json& object, std::string_view key);
std::optional<bool> boolean_member(const Json& object, std::string_view key);
/// A copy of the string member; empty if there is none.
std::string text_member(const Json& object, std::string_view key);

}  // namespace agentd::wire
