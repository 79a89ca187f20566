// Patterns of a transcript: what a message must look like, as JSON. Every field named must be
// there and equal; fields not named do not matter; an array must have as many elements.
//   "$name"          stands for a value: the first time it takes it, later it must be equal
//   "$any"           any value
//   "$absent"        the field must not be there
//   "$contains:xyz"  a string with xyz in it
// In a longer string `$name` is replaced by what it stands for, if it stands for a string.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace agentd::transcripts {

using Json = nlohmann::json;
using Names = std::map<std::string, Json>;

/// `pattern` with every known name replaced.
Json filled(const Json& pattern, const Names& names);
std::string filled_text(const std::string& text, const Names& names);

/// What does not match, as a path and a reason; nothing if all does. `names` gains what was taken
/// only if all matches.
std::optional<std::string> mismatch(const Json& pattern, const Json& value, Names& names);

}  // namespace agentd::transcripts
