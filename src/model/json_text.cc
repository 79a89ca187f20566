#include "model/json_text.h"

#include <cstdint>

namespace agentd::model {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && space(text[at])) ++at;
  return at;
}

// Past the closing quote of the string whose opening quote is at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Past the value that begins at `at`.
std::size_t skip_value(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      if (depth == 0) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return at;  // a number or word ended by its container
      if (--depth == 0) return at + 1;
    }
    if (depth == 0 && (c == ',' || space(c))) return at;
    ++at;
  }
  return at;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits behind `\u`; nothing if they are not there.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

bool high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

// The low half, if `text` begins with its escape.
std::optional<std::uint32_t> escaped_low_half(std::string_view text) {
  if (text.substr(0, 2) != "\\u") return std::nullopt;
  const auto unit = code_unit(text.substr(2));
  if (!unit || !low_surrogate(*unit)) return std::nullopt;
  return unit;
}

void append_code_point(std::string& out, std::uint32_t point) {
  const auto byte = [&](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0 | (point >> 6));
    byte(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    byte(0xE0 | (point >> 12));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  } else {
    byte(0xF0 | (point >> 18));
    byte(0x80 | ((point >> 12) & 0x3F));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  }
}

// Reads `\uXXXX`, with its other half if it is one of a pair; returns the bytes consumed, 0 if the
// escape is broken.
std::size_t read_unicode_escape(std::string_view text, std::string& out) {
  const auto unit = code_unit(text.substr(2));
  if (!unit) return 0;
  if (high_surrogate(*unit)) {
    const auto low = escaped_low_half(text.substr(6));
    if (low) {
      append_code_point(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
      return 12;
    }
  }
  if (high_surrogate(*unit) || low_surrogate(*unit)) {
    out.append(kReplacement);
  } else {
    append_code_point(out, *unit);
  }
  return 6;
}

char simple_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
  }
  return 0;
}

// How many bytes from the front need no unescaping: up to a quote, backslash or control.
std::size_t plain_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\' || c < 0x20) break;
    ++i;
  }
  return i;
}

}  // namespace

std::optional<std::string_view> find_member(std::string_view object, std::string_view key) {
  std::size_t at = skip_spaces(object, 0);
  if (at >= object.size() || object[at] != '{') return std::nullopt;
  ++at;
  while (at < object.size()) {
    at = skip_spaces(object, at);
    if (at >= object.size() || object[at] != '"') return std::nullopt;
    const std::size_t name_end = skip_string(object, at);
    const std::string_view name = object.substr(at + 1, name_end - at - 2);
    at = skip_spaces(object, name_end);
    at = skip_spaces(object, at + 1);  // the colon
    const std::size_t value_end = skip_value(object, at);
    if (name == key) return object.substr(at, value_end - at);
    at = skip_spaces(object, value_end);
    if (at >= object.size() || object[at] != ',') return std::nullopt;
    ++at;
  }
  return std::nullopt;
}

std::vector<std::string_view> elements(std::string_view array) {
  std::vector<std::string_view> found;
  std::size_t at = skip_spaces(array, 0);
  if (at >= array.size() || array[at] != '[') return found;
  at = skip_spaces(array, at + 1);
  while (at < array.size() && array[at] != ']') {
    const std::size_t end = skip_value(array, at);
    found.push_back(array.substr(at, end - at));
    at = skip_spaces(array, end);
    if (at < array.size() && array[at] == ',') at = skip_spaces(array, at + 1);
  }
  return found;
}

void set_member(std::string& object, std::string_view key, std::string_view value) {
  if (const auto old = find_member(object, key)) {
    const auto offset = static_cast<std::size_t>(old->data() - object.data());
    object.replace(offset, old->size(), value);
    return;
  }
  const std::size_t brace = object.rfind('}');
  if (brace == std::string::npos) return;
  const std::size_t last = object.find_last_not_of(" \t\r\n", brace - 1);
  const bool only_member = last != std::string::npos && object[last] == '{';
  std::string member = only_member ? "\"" : ",\"";
  member.append(key).append("\":").append(value);
  object.insert(brace, member);
}

std::optional<std::string_view> read_string(std::string_view text, std::string& out) {
  while (true) {
    const std::size_t plain = plain_prefix(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.size() < 2) {
      if (text == "\"") return text.substr(1);
      return std::nullopt;
    }
    if (text.front() == '"') return text.substr(1);
    if (text.front() != '\\') return std::nullopt;  // a bare control character
    if (text[1] == 'u') {
      const std::size_t consumed = read_unicode_escape(text, out);
      if (consumed == 0) return std::nullopt;
      text.remove_prefix(consumed);
      continue;
    }
    const char c = simple_escape(text[1]);
    if (c == 0) return std::nullopt;
    out.push_back(c);
    text.remove_prefix(2);
  }
}

}  // namespace agentd::model
