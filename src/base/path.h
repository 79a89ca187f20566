// Paths compared by their text alone, for rooms of one rank that must agree about it.
#pragma once

#include <string_view>

namespace agentd {

/// True if `path` is `directory` or below it, compared by component. Both canonical.
inline bool path_inside(std::string_view path, std::string_view directory) {
  if (directory == "/") return !path.empty() && path.front() == '/';
  if (directory.empty() || path.substr(0, directory.size()) != directory) return false;
  return path.size() == directory.size() || path[directory.size()] == '/';
}

}  // namespace agentd
