#include "platform/links.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "platform/errno_error.h"
#include "platform/fd.h"

namespace agentd::platform {
namespace {

bool is_link(int directory, const std::string& name) {
  struct stat status{};
  return ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(status.st_mode);
}

// With O_PATH or O_DIRECTORY the system does not say ELOOP of a link by itself.
int open_component(int directory, const std::string& name, int flags) {
  Fd fd(::openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) {
    if (errno == ENOTDIR) errno = is_link(directory, name) ? ELOOP : ENOTDIR;
    return -1;
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) == 0 && S_ISLNK(status.st_mode)) {
    errno = ELOOP;
    return -1;
  }
  return fd.release();
}

}  // namespace

int open_by_steps(const std::string& path, int flags) {
  Fd directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return -1;
  std::size_t begin = 1;
  for (std::size_t end = path.find('/', begin); end != std::string::npos;
       end = path.find('/', begin)) {
    const int next =
        open_component(directory.get(), path.substr(begin, end - begin), O_PATH | O_DIRECTORY);
    if (next < 0) return -1;
    directory = Fd(next);
    begin = end + 1;
  }
  const std::string last = path.substr(begin);
  return open_component(directory.get(), last.empty() ? "." : last, flags);
}

int open_path(const std::string& path, int flags, Links links) {
  if (links == Links::follow) return ::open(path.c_str(), flags | O_CLOEXEC);
  struct open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  if (fd >= 0) return static_cast<int>(fd);
  // EPERM: the filters of some containers say it of calls they do not know.
  if (errno != ENOSYS && errno != EPERM) return -1;
  return open_by_steps(path, flags);
}

int status_of(const std::string& path, struct stat& status, Links links) {
  if (links == Links::follow) return ::stat(path.c_str(), &status);
  const Fd fd(open_path(path, O_PATH, links));
  return fd.valid() ? ::fstat(fd.get(), &status) : -1;
}

Error path_error(std::string_view action, const std::string& path, int error_number, Links links) {
  if (error_number != ELOOP || links == Links::follow) {
    return errno_error(action, path, error_number);
  }
  return make_error(Code::conflict,
                    "cannot " + std::string(action) + " " + path +
                        ": a part of this path has become a link since it was judged. If that is "
                        "meant, try again",
                    path);
}

}  // namespace agentd::platform
