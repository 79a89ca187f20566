#include "platform/canonical_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string_view>
#include <vector>

#include "platform/errno_error.h"

namespace agentd::platform {
namespace {

constexpr int kMostLinks = 40;  // as the kernel's own limit (path_resolution(7))

// Puts the components of `path` on the stack, the first on top.
void push_components(std::vector<std::string>& stack, std::string_view path) {
  std::vector<std::string> forward;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) forward.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  stack.insert(stack.end(), forward.rbegin(), forward.rend());
}

void drop_last(std::string& path) {
  path.resize(path.rfind('/'));
}

Result<std::string> read_link(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return errno_error("resolve the link", path, errno);
  target.resize(static_cast<std::size_t>(length));
  return target;
}

}  // namespace

Result<void> check_path(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return make_error(Code::invalid_input, "the path contains a NUL byte",
                      path.substr(0, path.find('\0')));
  }
  if (path.empty() || path.front() != '/') {
    return make_error(Code::invalid_input, "the path must be absolute: " + path, path);
  }
  return {};
}

Result<std::string> canonical_path(const std::string& path) {
  if (auto checked = check_path(path); !checked) return std::move(checked.error());
  std::vector<std::string> todo;
  push_components(todo, path);
  std::string resolved;  // without a slash at its end; "" is the root
  int links = 0;
  while (!todo.empty()) {
    const std::string component = std::move(todo.back());
    todo.pop_back();
    if (component == ".") continue;
    if (component == "..") {
      // What does not exist has no links, so going up by name is right there too.
      if (!resolved.empty()) drop_last(resolved);
      continue;
    }
    resolved += '/';
    resolved += component;
    struct stat status{};
    if (::lstat(resolved.c_str(), &status) != 0) {
      if (errno == ENOENT) continue;
      return errno_error("resolve", path, errno);
    }
    if (!S_ISLNK(status.st_mode)) continue;
    if (++links > kMostLinks) return errno_error("resolve", path, ELOOP);
    auto target = read_link(resolved);
    if (!target) return std::move(target.error());
    if (!target->empty() && target->front() == '/') {
      resolved.clear();
    } else {
      drop_last(resolved);
    }
    push_components(todo, *target);
  }
  return resolved.empty() ? "/" : resolved;
}

}  // namespace agentd::platform
