// Text as lines. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace agentd {

/// Lines without their "\n"; a "\r" stays. A final line end opens no further line.
inline std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace agentd
