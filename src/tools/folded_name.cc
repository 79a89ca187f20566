#include "tools/folded_name.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/utf8.h"

namespace agentd::tools {
namespace {

struct Mark {
  char32_t mark;
  std::u16string_view pairs;  // base, composed, base, composed, ...
};

constexpr Mark kMarks[] = {
#include "tools/unicode_composed.inc"
};

struct Parts {
  char32_t base = 0;
  char32_t mark = 0;
};

const std::unordered_map<char32_t, Parts>& decompositions() {
  static const std::unordered_map<char32_t, Parts> table = [] {
    std::unordered_map<char32_t, Parts> made;
    for (const Mark& mark : kMarks) {
      for (std::size_t i = 0; i + 1 < mark.pairs.size(); i += 2) {
        made[mark.pairs[i + 1]] = {mark.pairs[i], mark.mark};
      }
    }
    return made;
  }();
  return table;
}

void append(std::string& out, char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (c < 0x80) {
    out += byte(c);
  } else if (c < 0x800) {
    out += byte(0xC0 | c >> 6);
    out += byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += byte(0xE0 | c >> 12);
    out += byte(0x80 | (c >> 6 & 0x3F));
    out += byte(0x80 | (c & 0x3F));
  } else {
    out += byte(0xF0 | c >> 18);
    out += byte(0x80 | (c >> 12 & 0x3F));
    out += byte(0x80 | (c >> 6 & 0x3F));
    out += byte(0x80 | (c & 0x3F));
  }
}

char32_t plain_sign(char32_t c) {
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201B:
    case 0x02BC:
      return '\'';
    case 0x201C:
    case 0x201D:
      return '"';
    case 0x2010:
    case 0x2011:
    case 0x2013:
    case 0x2014:
      return '-';
    case 0x00A0:
    case 0x2007:
    case 0x2009:
    case 0x202F:
      return ' ';
    default:
      return c;
  }
}

// Hangul syllables decompose by arithmetic (Unicode Standard, 3.12).
bool append_hangul(std::string& out, char32_t c) {
  if (c < 0xAC00 || c > 0xD7A3) return false;
  const char32_t index = c - 0xAC00;
  append(out, 0x1100 + index / 588);
  append(out, 0x1161 + index % 588 / 28);
  if (index % 28 != 0) append(out, 0x11A7 + index % 28);
  return true;
}

void append_folded(std::string& out, char32_t c) {
  if (append_hangul(out, c)) return;
  const auto found = decompositions().find(c);
  if (found == decompositions().end()) return append(out, plain_sign(c));
  append_folded(out, found->second.base);
  append(out, found->second.mark);
}

// `text` is valid UTF-8 and not empty.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  char32_t c = lead;
  if (lead >= 0xF0) {
    length = 4;
    c = lead & 0x07u;
  } else if (lead >= 0xE0) {
    length = 3;
    c = lead & 0x0Fu;
  } else if (lead >= 0xC0) {
    length = 2;
    c = lead & 0x1Fu;
  }
  for (std::size_t i = 1; i < length; ++i) {
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(length);
  return c;
}

}  // namespace

std::string folded_name(std::string_view name) {
  const bool ascii = std::all_of(name.begin(), name.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii || !utf8::valid(name)) return std::string(name);
  std::string out;
  while (!name.empty()) append_folded(out, take_character(name));
  return out;
}

}  // namespace agentd::tools
