// White space and the case of ASCII letters: what protocols, settings and error texts mean by them.
// Other characters are left as they are. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agentd::ascii {

/// Space, tab, line ends, vertical tab, form feed.
inline constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

/// Without the white space around it.
std::string_view trimmed(std::string_view text);

/// Nothing but white space.
bool blank(std::string_view text);

constexpr char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lowered(std::string_view text);

/// Where `part` stands in `text`, case aside; npos: nowhere.
std::size_t find(std::string_view text, std::string_view part);
bool contains(std::string_view text, std::string_view part);

}  // namespace agentd::ascii
