#include "hooks/matcher.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"

namespace agentd::hooks {
namespace {

constexpr bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_list_of_names(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || std::string_view("_- |,").find(c) != std::string_view::npos;
  });
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find_first_of("|,", at), text.size());
    const std::string_view name = ascii::trimmed(text.substr(at, end - at));
    if (!name.empty()) names.emplace_back(name);
    at = end + 1;
  }
  return names;
}

// What regcomp would take for something else than JavaScript does, or what could make matching
// cost more than the length of the name (back references, counted repetition).
std::optional<std::string> outside_the_subset(std::string_view pattern) {
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      if (in_class) return "a backslash in a character class is not supported";
      if (++i == pattern.size()) return "it ends in a backslash";
      if (is_alphanumeric(pattern[i]) &&
          std::string_view("wWbB").find(pattern[i]) == std::string_view::npos) {
        return std::string("\\") + pattern[i] + " is not supported";
      }
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') ++i;
    } else if (c == '{' || c == '}') {
      return "counted repetition ({...}) is not supported";
    } else if (c == '\0') {
      return "it contains a NUL byte";
    }
  }
  return std::nullopt;
}

Result<std::shared_ptr<const regex_t>> compile(std::string_view pattern) {
  if (auto fault = outside_the_subset(pattern)) {
    return make_error(Code::invalid_input, std::move(*fault));
  }
  auto compiled = std::make_unique<regex_t>();
  const int error = ::regcomp(compiled.get(), std::string(pattern).c_str(), REG_EXTENDED);
  if (error != 0) {
    std::array<char, 200> text{};
    ::regerror(error, compiled.get(), text.data(), text.size());
    return make_error(Code::invalid_input, text.data());
  }
  return std::shared_ptr<const regex_t>(compiled.release(), [](const regex_t* owned) {
    auto* mutable_owned = const_cast<regex_t*>(owned);
    ::regfree(mutable_owned);
    delete mutable_owned;
  });
}

bool matches_somewhere(const regex_t& pattern, const std::string& name) {
  return ::regexec(&pattern, name.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace

Result<Matcher> Matcher::parse(std::string_view text) {
  if (text.size() > kMaxMatcher) {
    return make_error(Code::invalid_input,
                      "it is longer than " + std::to_string(kMaxMatcher) + " bytes");
  }
  Matcher matcher;
  const std::string_view pattern = ascii::trimmed(text);
  if (pattern.empty() || pattern == "*") return matcher;
  if (is_list_of_names(pattern)) {
    matcher.names_ = split_names(pattern);
    if (matcher.names_.empty()) return make_error(Code::invalid_input, "it names nothing");
    return matcher;
  }
  auto compiled = compile(pattern);
  if (!compiled) return std::move(compiled.error());
  matcher.pattern_ = std::move(*compiled);
  return matcher;
}

bool Matcher::matches(std::string_view name) const {
  if (pattern_) return matches_somewhere(*pattern_, std::string(name));
  return names_.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
}

}  // namespace agentd::hooks
