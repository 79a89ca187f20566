#include "server/printable.h"

#include <array>
#include <cstdio>

namespace agentd::server {
namespace {

// U+202A to U+202E and U+2066 to U+2069, as UTF-8.
bool turns_direction(std::string_view character) {
  if (character.size() != 3 || character[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(character[2]);
  if (character[1] == '\x80') return last >= 0xAA && last <= 0xAE;
  return character[1] == '\x81' && last >= 0xA6 && last <= 0xA9;
}

std::size_t length_of_character(unsigned char lead) {
  if (lead < 0xC0) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

void append_code(std::string& out, const char* format, unsigned code) {
  std::array<char, 16> text{};
  const int length = std::snprintf(text.data(), text.size(), format, code);
  out.append(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::string_view character = text.substr(0, length_of_character(lead));
    text.remove_prefix(character.size());
    const auto last = static_cast<unsigned char>(character.back());
    if ((lead < 0x20 && lead != '\n' && lead != '\t') || lead == 0x7F) {
      append_code(out, "\\x%02x", lead);
    } else if (lead == 0xC2 && last < 0xA0) {  // U+0080 to U+009F: the C1 controls
      append_code(out, "\\x%02x", last);
    } else if (turns_direction(character)) {
      const unsigned low = (static_cast<unsigned char>(character[1]) & 0x3Fu) << 6u;
      append_code(out, "\\u%04x", 0x2000u | low | (last & 0x3Fu));
    } else {
      out.append(character);
    }
  }
  return out;
}

}  // namespace agentd::server
