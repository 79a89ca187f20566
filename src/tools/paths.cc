#include "tools/paths.h"

#include <cstdlib>

#include "base/path.h"

namespace agentd::tools {
namespace {

std::string with_home(std::string_view path) {
  const char* home = std::getenv("HOME");
  const bool names_home = path == "~" || path.substr(0, 2) == "~/";
  if (!names_home || home == nullptr || *home != '/') return std::string(path);
  return std::string(home) + std::string(path.substr(1));
}

// Drops empty and `.` components.
std::string tidied(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    if (!component.empty() && component != ".") {
      out += '/';
      out += component;
    }
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return out.empty() ? "/" : out;
}

}  // namespace

std::string absolute_path(std::string_view path, const std::string& cwd) {
  const std::string named = with_home(path);
  if (!named.empty() && named.front() == '/') return tidied(named);
  return tidied(cwd + "/" + named);
}

std::string shown_path(const std::string& path, const std::string& directory) {
  if (path == directory || !path_inside(path, directory)) return path;
  return path.substr(directory == "/" ? 1 : directory.size() + 1);
}

std::string parent_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace agentd::tools
