// JSON text. See text.h.
#include "wire/text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace agentd::wire {
namespace {

static_assert(std::endian::native == std::endian::little, "plain_run reads words");

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

/// High bit set in each byte of `word` that is zero (exact only up to the first one found, which
/// is all we ask).
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - kOnes) & ~word & kHighs;
}

constexpr bool must_escape(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

/// A run of bytes that may be copied as they are.
struct Run {
  std::size_t length = 0;
  bool ascii = true;
};

Run plain_run(std::string_view text) {
  Run run;
  while (run.length + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + run.length, 8);
    const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
    const std::uint64_t quote = zero_bytes(word ^ (kOnes * '"'));
    const std::uint64_t backslash = zero_bytes(word ^ (kOnes * '\\'));
    const std::uint64_t found = control | quote | backslash;
    if (found != 0) {  // the lowest mark is exact, and the lowest byte is the first
      const int bits = std::countr_zero(found) / 8 * 8;
      if ((word & kHighs & ((std::uint64_t{1} << bits) - 1)) != 0) run.ascii = false;
      run.length += static_cast<std::size_t>(bits) / 8;
      return run;
    }
    if ((word & kHighs) != 0) run.ascii = false;
    run.length += 8;
  }
  while (run.length < text.size()) {
    const auto byte = static_cast<unsigned char>(text[run.length]);
    if (must_escape(byte)) break;
    if (byte >= 0x80) run.ascii = false;
    ++run.length;
  }
  return run;
}

void append_escape(std::string& out, char character) {
  switch (character) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(character);
  out += "\\u00";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0x0FU];
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (true) {
    const Run run = plain_run(text);
    const std::string_view plain = text.substr(0, run.length);
    // A byte that must be escaped is ASCII, so it never stands inside a well-formed character and
    // the run can be judged by itself.
    if (run.ascii || utf8::valid(plain)) {
      out.append(plain);
    } else {
      out.append(utf8::repaired(plain));
    }
    if (run.length == text.size()) return;
    append_escape(out, text[run.length]);
    text.remove_prefix(run.length + 1);
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

void append_int(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_bool(std::string& out, bool value) {
  out += value ? "true" : "false";
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_json(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      out += "null";
      return;
    case Json::value_t::boolean:
      append_bool(out, value.get_ref<const bool&>());
      return;
    case Json::value_t::number_integer:
      append_int(out, value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      out += std::to_string(value.get<std::uint64_t>());
      return;
    case Json::value_t::number_float:
      append_double(out, value.get<double>());
      return;
    case Json::value_t::string:
      append_string(out, value.get_ref<const std::string&>());
      return;
    case Json::value_t::array:
      out += '[';
      for (const Json& element : value) {
        append_comma(out);
        append_json(out, element);
      }
      out += ']';
      return;
    case Json::value_t::object:
      out += '{';
      for (const auto& [key, member] : value.items()) {
        append_comma(out);
        append_string(out, key);
        out += ':';
        append_json(out, member);
      }
      out += '}';
      return;
    case Json::value_t::binary:     // never parsed from text
    case Json::value_t::discarded:  // never kept
      out += "null";
      return;
  }
}

void append_comma(std::string& out) {
  if (!out.empty() && out.back() != '{' && out.back() != '[') out += ',';
}

void append_key(std::string& out, std::string_view key) {
  append_comma(out);
  out += '"';
  out += key;
  out += "\":";
}

std::string indented(std::string_view json) {
  std::string out;
  std::size_t level = 0;
  bool in_string = false;
  bool escaped = false;
  const auto new_line = [&] { out.append("\n").append(level * 2, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (!escaped && c == '"') in_string = false;
      escaped = !escaped && c == '\\';
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    if (closes) {
      --level;
      if (out.back() != '{' && out.back() != '[') new_line();
    } else if (!out.empty() && (out.back() == '{' || out.back() == '[')) {
      new_line();
    }
    out += c;
    if (opens) ++level;
    if (c == '"') in_string = true;
    if (c == ',') new_line();
    if (c == ':') out += ' ';
  }
  return out;
}

}  // namespace agentd::wire
