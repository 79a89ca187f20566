#include "transcripts/pattern.h"

#include <cctype>

namespace agentd::transcripts {
namespace {

constexpr std::string_view kContains = "$contains:";

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && std::isalnum(static_cast<unsigned char>(text[length]))) ++length;
  return length;
}

/// The name if the whole of `text` is one.
std::optional<std::string> whole_name(const std::string& text) {
  if (text.size() < 2 || text[0] != '$') return std::nullopt;
  if (name_length(std::string_view(text).substr(1)) != text.size() - 1) return std::nullopt;
  return text.substr(1);
}

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 300) text = text.substr(0, 300) + "...";
  return text;
}

std::optional<std::string> match(const Json& pattern, const Json& value, Names& names,
                                 const std::string& path);

std::optional<std::string> match_string(const std::string& pattern, const Json& value, Names& names,
                                        const std::string& path) {
  if (pattern == "$any") return std::nullopt;
  if (pattern.rfind(kContains, 0) == 0) {
    const std::string part = filled_text(pattern.substr(kContains.size()), names);
    const std::string* text = value.get_ptr<const std::string*>();
    if (text != nullptr && text->find(part) != std::string::npos) return std::nullopt;
    return path + ": expected a string with \"" + part + "\" in it, got " + shown(value);
  }
  if (const auto name = whole_name(pattern)) {
    const auto [known, taken] = names.try_emplace(*name, value);
    if (taken || known->second == value) return std::nullopt;
    return path + ": $" + *name + " is " + shown(known->second) + ", got " + shown(value);
  }
  const std::string expected = filled_text(pattern, names);
  if (value == expected) return std::nullopt;
  return path + ": expected " + shown(expected) + ", got " + shown(value);
}

std::optional<std::string> match_object(const Json& pattern, const Json& value, Names& names,
                                        const std::string& path) {
  if (!value.is_object()) return path + ": expected an object, got " + shown(value);
  for (const auto& [key, part] : pattern.items()) {
    const auto found = value.find(key);
    if (part == "$absent") {
      if (found != value.end()) return path + "." + key + ": must be absent, is " + shown(*found);
      continue;
    }
    if (found == value.end()) return path + "." + key + ": absent, in " + shown(value);
    if (auto fault = match(part, *found, names, path + "." + key)) return fault;
  }
  return std::nullopt;
}

std::optional<std::string> match_array(const Json& pattern, const Json& value, Names& names,
                                       const std::string& path) {
  if (!value.is_array() || value.size() != pattern.size()) {
    return path + ": expected " + std::to_string(pattern.size()) + " elements, got " + shown(value);
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (auto fault = match(pattern[i], value[i], names, path + "[" + std::to_string(i) + "]")) {
      return fault;
    }
  }
  return std::nullopt;
}

std::optional<std::string> match(const Json& pattern, const Json& value, Names& names,
                                 const std::string& path) {
  if (pattern.is_object()) return match_object(pattern, value, names, path);
  if (pattern.is_array()) return match_array(pattern, value, names, path);
  if (pattern.is_string()) return match_string(pattern.get<std::string>(), value, names, path);
  if (pattern == value) return std::nullopt;
  return path + ": expected " + shown(pattern) + ", got " + shown(value);
}

}  // namespace

std::string filled_text(const std::string& text, const Names& names) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      const std::string name =
          text.substr(i + 1, name_length(std::string_view(text).substr(i + 1)));
      const auto known = names.find(name);
      if (known != names.end() && known->second.is_string()) {
        result += known->second.get<std::string>();
        i += name.size();
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

Json filled(const Json& pattern, const Names& names) {
  if (pattern.is_string()) {
    const std::string text = pattern.get<std::string>();
    if (const auto name = whole_name(text)) {
      if (const auto known = names.find(*name); known != names.end()) return known->second;
    }
    return filled_text(text, names);
  }
  if (!pattern.is_structured()) return pattern;
  Json result = pattern;
  for (auto& part : result) part = filled(part, names);
  return result;
}

std::optional<std::string> mismatch(const Json& pattern, const Json& value, Names& names) {
  Names tried = names;
  auto fault = match(pattern, value, tried, "message");
  if (!fault) names = std::move(tried);
  return fault;
}

}  // namespace agentd::transcripts
