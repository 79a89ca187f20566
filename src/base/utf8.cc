#include "base/utf8.h"

#include <cstdint>

namespace agentd::utf8 {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

struct Step {
  std::size_t length;  // bytes consumed
  bool well_formed;
  bool cut;  // ill-formed only because the text ended
};

// One character from Unicode table 3-7, or the maximal ill-formed part of one.
Step step(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return {1, true, false};
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size()) return {i, false, true};
    const unsigned char byte = at(i);
    if (i == 1 ? (byte < low || byte > high) : !continuation(byte)) return {i, false, false};
  }
  return {length, true, false};
}

// Length of the pure ASCII prefix, eight bytes at a time.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i + 8 <= text.size()) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080ULL) != 0) break;
    i += 8;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

bool valid(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_prefix(text));
    if (text.empty()) return true;
    const Step s = step(text);
    if (!s.well_formed) return false;
    text.remove_prefix(s.length);
  }
}

std::string repaired(std::string_view text, std::size_t* replaced) {
  std::string out;
  out.reserve(text.size());
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t plain = ascii_prefix(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Step s = step(text);
    if (s.well_formed) {
      out.append(text.substr(0, s.length));
    } else {
      out.append(kReplacement);
      ++count;
    }
    text.remove_prefix(s.length);
  }
  if (replaced != nullptr) *replaced = count;
  return out;
}

std::string_view head(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && continuation(static_cast<unsigned char>(text[bytes]))) --bytes;
  return text.substr(0, bytes);
}

std::string_view tail(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t begin = text.size() - bytes;
  while (begin < text.size() && continuation(static_cast<unsigned char>(text[begin]))) ++begin;
  return text.substr(begin);
}

std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (continuation(byte)) continue;
    return step(text.substr(text.size() - back)).cut ? back : 0;
  }
  return 0;
}

}  // namespace agentd::utf8
