#include "session/content_hash_text.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace agentd::session {
namespace {

constexpr std::size_t kDigits = 16;  // of 64 bits

std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, 16);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

std::string text_of_hash(const platform::ContentHash& hash) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {hash.high, hash.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(half >> shift) & 0xf];
  }
  return text;
}

platform::ContentHash hash_of_text(std::string_view text) {
  if (text.size() != 2 * kDigits) return {};
  const auto high = number_of(text.substr(0, kDigits));
  const auto low = number_of(text.substr(kDigits));
  if (!high || !low) return {};
  return {*high, *low};
}

}  // namespace agentd::session
