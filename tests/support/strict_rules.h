// What the strict servers of both APIs share: a rule that is broken is a complaint, the first one
// wins. It travels as an exception inside their own files only.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace agentd::test {

struct Complaint {
  std::string message;
};

[[noreturn]] inline void complain(std::string message) {
  throw Complaint{std::move(message)};
}

inline bool one_of(std::string_view text, std::initializer_list<std::string_view> set) {
  return std::find(set.begin(), set.end(), text) != set.end();
}

/// Letters, digits, `_` and `-`: a tool's name, the id of a call.
inline bool matches_name(std::string_view text, std::size_t longest) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), good);
}

}  // namespace agentd::test
