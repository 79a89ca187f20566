// File names that look the same but are not: composed and decomposed letters (macOS stores the
// latter), typographic quotes, narrow and no-break spaces. Pure.
#pragma once

#include <string>
#include <string_view>

namespace agentd::tools {

/// Two names with the same fold look the same. Letters are decomposed (Latin, Greek, Cyrillic,
/// kana, Hangul), quotes, dashes and spaces made plain. Not for display.
std::string folded_name(std::string_view name);

}  // namespace agentd::tools
