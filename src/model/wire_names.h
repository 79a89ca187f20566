// What the APIs ask of texts that are not theirs: ids and names of characters they know, no text
// that says nothing. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace agentd::model {

/// A tool_use id of letters, digits, `_` and `-`: itself where it is one, else a name made from it,
/// always the same for the same id.
std::string wire_tool_use_id(std::string_view id);

/// The same for a tool's name; at most 64 characters, never empty.
std::string wire_tool_name(std::string_view name);

}  // namespace agentd::model
