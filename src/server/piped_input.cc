#include "server/piped_input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/utf8.h"

namespace agentd::server {
namespace {

bool may_hold_input(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode);
}

bool something_comes(int fd, std::optional<std::chrono::milliseconds> patience) {
  pollfd watched{fd, POLLIN, 0};
  const int limit = patience ? static_cast<int>(patience->count()) : -1;
  int ready = -1;
  do {
    ready = poll(&watched, 1, limit);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Result<std::optional<std::string>> read_piped_input(
    int fd, std::optional<std::chrono::milliseconds> patience) {
  if (!may_hold_input(fd) || !something_comes(fd, patience)) return std::optional<std::string>();
  std::string text;
  std::vector<char> buffer(64 * 1024);
  while (true) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got == 0) break;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
      something_comes(fd, std::nullopt);
      continue;
    }
    if (got < 0) {
      return make_error(Code::io, std::string("cannot read it: ") + std::strerror(errno),
                        "standard input");
    }
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxPipedInput) {
      return make_error(Code::too_large,
                        "more than 10 MB; put it into a file and name the file in the prompt",
                        "standard input");
    }
  }
  return std::optional<std::string>(utf8::repaired(text));
}

}  // namespace agentd::server
