// Parsing. See parse.h.
#include "wire/parse.h"

#include <exception>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace agentd::wire {
namespace {

constexpr std::size_t kMaximumErrorText = 300;

/// The first place where arrays and objects nest deeper than `limit`. Up to the first error in the
/// text this sees the same tokens as the parser, and the parser goes no further than that.
std::optional<std::size_t> too_deep_at(std::string_view text, std::size_t limit) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
      case '[':
        if (++depth > limit) return i;
        break;
      case '}':
      case ']':
        if (depth > 0) --depth;
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

/// The library's message without its `[json.exception...]` mark, short and printable: it may quote
/// a megabyte of the input.
std::string readable(std::string_view what) {
  if (const auto end = what.find("] "); what.starts_with("[json.exception") && end < 60) {
    what.remove_prefix(end + 2);
  }
  const bool cut = what.size() > kMaximumErrorText;
  return utf8::repaired(utf8::head(what, kMaximumErrorText)) + (cut ? "..." : "");
}

Result<Json> parse_strictly(std::string_view text) {
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const std::exception& error) {
    return make_error(Code::invalid_input, "not valid JSON: " + readable(error.what()));
  }
}

bool hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

enum class Escape { none, high_surrogate, low_surrogate, other };

/// What `\uXXXX` begins at `at`.
Escape unicode_escape(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return Escape::none;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    if (!hex_digit(text[i])) return Escape::none;
  }
  if (text[at + 2] != 'd' && text[at + 2] != 'D') return Escape::other;
  switch (text[at + 3]) {
    case '8':
    case '9':
    case 'a':
    case 'b':
    case 'A':
    case 'B':
      return Escape::high_surrogate;
    case 'c':
    case 'd':
    case 'e':
    case 'f':
    case 'C':
    case 'D':
    case 'E':
    case 'F':
      return Escape::low_surrogate;
    default:
      return Escape::other;
  }
}

}  // namespace

Result<Json> parse(std::string_view text, std::size_t maximum_depth) {
  if (const auto at = too_deep_at(text, maximum_depth)) {
    return make_error(Code::invalid_input, "not acceptable JSON: nested deeper than " +
                                               std::to_string(maximum_depth) + " levels at byte " +
                                               std::to_string(*at));
  }
  Result<Json> parsed = parse_strictly(text);
  if (parsed.has_value()) return parsed;
  if (const auto repaired = without_lone_surrogates(text)) return parse_strictly(*repaired);
  return parsed;
}

std::optional<std::string> without_lone_surrogates(std::string_view text) {
  std::optional<std::string> out;
  std::size_t copied = 0;
  for (std::size_t i = text.find('\\'); i < text.size(); i = text.find('\\', i)) {
    const Escape escape = unicode_escape(text, i);
    if (escape == Escape::high_surrogate && unicode_escape(text, i + 6) == Escape::low_surrogate) {
      i += 12;
    } else if (escape == Escape::high_surrogate || escape == Escape::low_surrogate) {
      if (!out) out.emplace();
      out->append(text.substr(copied, i - copied)).append("\\ufffd");
      i += 6;
      copied = i;
    } else {
      i += 2;
    }
  }
  if (out) out->append(text.substr(copied));
  return out;
}

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& member_or_null(const Json& object, std::string_view key) {
  static const Json kNull;
  const Json* found = member(object, key);
  return found == nullptr ? kNull : *found;
}

std::optional<std::string_view> string_member(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string_view(found->get_ref<const std::string&>());
}

std::optional<std::int64_t> integer_member(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<bool> boolean_member(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  if (found == nullptr || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

std::string text_member(const Json& object, std::string_view key) {
  return std::string(string_member(object, key).value_or(""));
}

}  // namespace agentd::wire
