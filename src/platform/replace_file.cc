#include "platform/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/ids.h"
#include "platform/errno_error.h"
#include "platform/fd.h"

namespace agentd::platform {
namespace {

constexpr int kDirectoryFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

enum class Missing { make, refuse };

// Opens the directory part of `path` step by step. No step follows a link: the path was canonical
// when it was judged, so a link on the way was put there since.
Result<Fd> open_parent(const std::string& path, Missing missing) {
  Fd directory(::open("/", kDirectoryFlags));
  if (!directory.valid()) return errno_error("open", "/", errno);
  std::size_t begin = 1;
  for (std::size_t end = path.find('/', begin); end != std::string::npos;
       end = path.find('/', begin)) {
    const std::string component = path.substr(begin, end - begin);
    const std::string so_far = path.substr(0, end);
    int next = ::openat(directory.get(), component.c_str(), kDirectoryFlags);
    if (next < 0 && errno == ENOENT && missing == Missing::make) {
      if (::mkdirat(directory.get(), component.c_str(), 0777) != 0 && errno != EEXIST) {
        return errno_error("create the directory", so_far, errno);
      }
      next = ::openat(directory.get(), component.c_str(), kDirectoryFlags);
    }
    if (next < 0 && (errno == ELOOP || errno == ENOTDIR)) {
      return make_error(Code::conflict,
                        "cannot write " + path + ": " + so_far + " is not a directory", path);
    }
    if (next < 0) return errno_error("open the directory", so_far, errno);
    directory = Fd(next);
    begin = end + 1;
  }
  return directory;
}

// The file that is there now, if any, once it is known that it may be replaced.
Result<std::optional<struct stat>> inspect(const Fd& directory, const std::string& name,
                                           const std::string& path) {
  struct stat old{};
  if (::fstatat(directory.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::optional<struct stat>();
    return errno_error("look at", path, errno);
  }
  if (S_ISLNK(old.st_mode)) {
    return make_error(Code::conflict, path + " was replaced by a link meanwhile; nothing written",
                      path);
  }
  if (!S_ISREG(old.st_mode)) {
    return make_error(Code::invalid_input, "cannot write " + path + ": it is not a regular file",
                      path);
  }
  if (::faccessat(directory.get(), name.c_str(), W_OK, AT_EACCESS) != 0) {
    return make_error(errno == EROFS || errno == EACCES ? Code::permission_denied : Code::io,
                      "cannot write " + path + ": the file is read-only", path);
  }
  return std::optional<struct stat>(old);
}

// A new, empty file under a name nobody uses; gone again unless it is renamed into place.
class TemporaryFile {
 public:
  TemporaryFile(const Fd& directory, mode_t mode) : directory_(directory.get()) {
    RandomIds ids;
    name_ = '.' + ids.next("agentd") + ".tmp";
    file_ = Fd(::openat(directory_, name_.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    error_ = file_.valid() ? 0 : errno;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_.valid()) ::unlinkat(directory_, name_.c_str(), 0);
  }

  int open_error() const { return error_; }

  // Each returns 0 or errno.
  int write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(file_.get(), content.data(), content.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return errno;
      }
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }

  int take_after(const struct stat& old, std::optional<std::uint32_t> wanted) {
    struct stat mine{};
    if (::fstat(file_.get(), &mine) != 0) return errno;
    mode_t mode = wanted.value_or(old.st_mode) & 07777;
    if (mine.st_uid != old.st_uid || mine.st_gid != old.st_gid) {
      if (::fchown(file_.get(), old.st_uid, old.st_gid) != 0) mode &= 0777;
    }
    return set_mode(mode);
  }

  int set_mode(mode_t mode) { return ::fchmod(file_.get(), mode & 07777) == 0 ? 0 : errno; }

  int move_to(const std::string& name) {
    if (::renameat(directory_, name_.c_str(), directory_, name.c_str()) != 0) return errno;
    file_.reset();
    return 0;
  }

 private:
  int directory_;
  std::string name_;
  Fd file_;
  int error_ = 0;
};

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view content,
                          std::optional<std::uint32_t> mode) {
  auto directory = open_parent(path, Missing::make);
  if (!directory) return std::move(directory.error());
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty()) {
    return make_error(Code::invalid_input, "cannot write " + path + ": it is a directory", path);
  }
  auto old = inspect(*directory, name, path);
  if (!old) return std::move(old.error());

  // A new file gets what the umask leaves; a copy of a private one is never readable by others.
  TemporaryFile temporary(*directory, old->has_value() || mode ? 0600 : 0666);
  int error = temporary.open_error();
  if (error == 0) error = temporary.write(content);
  if (error == 0 && old->has_value()) {
    error = temporary.take_after(**old, mode);
  } else if (error == 0 && mode) {
    error = temporary.set_mode(*mode);
  }
  if (error == 0) error = temporary.move_to(name);
  if (error != 0) return errno_error("write", path, error);
  return {};
}

Result<void> remove_file(const std::string& path) {
  auto directory = open_parent(path, Missing::refuse);
  if (!directory) return std::move(directory.error());
  const std::string name = path.substr(path.rfind('/') + 1);
  auto old = inspect(*directory, name, path);
  if (!old) return std::move(old.error());
  if (!old->has_value()) return errno_error("remove", path, ENOENT);
  if (::unlinkat(directory->get(), name.c_str(), 0) != 0) {
    return errno_error("remove", path, errno);
  }
  return {};
}

}  // namespace agentd::platform
