// The disk behind Files. Stateless: any thread that may block.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "platform/canonical_path.h"
#include "platform/errno_error.h"
#include "platform/fd.h"
#include "platform/files.h"
#include "platform/replace_file.h"

namespace agentd::platform {
namespace {

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::directory;
  if (S_ISFIFO(mode)) return FileKind::fifo;
  if (S_ISSOCK(mode)) return FileKind::socket;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return FileKind::device;
  return FileKind::other;
}

std::string_view kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::regular:
      return "a regular file";
    case FileKind::directory:
      return "a directory";
    case FileKind::fifo:
      return "a named pipe";
    case FileKind::socket:
      return "a socket";
    case FileKind::device:
      return "a device";
    case FileKind::other:
      return "of an unknown kind";
  }
  return "of an unknown kind";
}

Error not_regular(const std::string& path, FileKind kind) {
  return make_error(Code::invalid_input,
                    "cannot read " + path + ": it is " + std::string(kind_name(kind)) +
                        ", only regular files can be read",
                    path);
}

struct OpenFile {
  Fd fd;
  std::uint64_t size = 0;
};

// Looked at before it is opened, as opening alone can act (a pipe's writer wakes up, a tape
// rewinds), and again after, as it may have been swapped; O_NONBLOCK for the moment between.
Result<OpenFile> open_regular(const std::string& path, Links links) {
  if (auto checked = check_path(path); !checked) return std::move(checked.error());
  struct stat status{};
  if (status_of(path, status, links) != 0) return path_error("read", path, errno, links);
  if (!S_ISREG(status.st_mode)) return not_regular(path, kind_of(status.st_mode));
  Fd fd(open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, links));
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) {
    return path_error("read", path, errno, links);
  }
  if (!S_ISREG(status.st_mode)) return not_regular(path, kind_of(status.st_mode));
  return OpenFile{std::move(fd), static_cast<std::uint64_t>(status.st_size)};
}

// Reads until `length` bytes or the end. `expected` only sizes the first buffer: files below
// /proc tell a size of 0, and others grow.
Result<std::string> read_from(const OpenFile& file, const std::string& path, std::uint64_t offset,
                              std::uint64_t length, std::uint64_t expected) {
  constexpr std::uint64_t kStep = 64 * 1024;
  std::string content;
  std::uint64_t filled = 0;
  while (filled < length) {
    if (filled == content.size()) {
      const std::uint64_t more = filled == 0 ? expected + 1 : std::max(kStep, filled);
      content.resize(static_cast<std::size_t>(filled + std::min(more, length - filled)));
    }
    const ssize_t got = ::pread(file.fd.get(), content.data() + filled, content.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::uint64_t>(got);
  }
  content.resize(static_cast<std::size_t>(filled));
  return content;
}

Error too_large(const std::string& path, std::uint64_t limit) {
  return make_error(Code::too_large,
                    path + " is larger than " + std::to_string(limit) + " bytes; read a part of it",
                    path);
}

// What a change of `path` changes, for replace_file and remove_file, which follow no link.
Result<std::string> target_of(const std::string& path, Links links) {
  if (path.ends_with('/')) {
    return make_error(Code::invalid_input, "cannot write " + path + ": it names a directory", path);
  }
  if (links == Links::follow) return canonical_path(path);
  if (auto checked = check_path(path); !checked) return std::move(checked.error());
  return path;
}

class DiskFiles final : public Files {
 public:
  Result<FileInfo> info(const std::string& path, Links links) override {
    if (auto checked = check_path(path); !checked) return std::move(checked.error());
    struct stat status{};
    if (status_of(path, status, links) != 0) return path_error("look at", path, errno, links);
    return FileInfo{kind_of(status.st_mode), static_cast<std::uint64_t>(status.st_size),
                    status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec,
                    static_cast<std::uint32_t>(status.st_mode & 07777)};
  }

  Result<std::string> read(const std::string& path, std::uint64_t limit, Links links) override {
    auto file = open_regular(path, links);
    if (!file) return std::move(file.error());
    if (file->size > limit) return too_large(path, limit);
    // One byte more than allowed: a file that grew meanwhile is noticed, not cut.
    const std::uint64_t most =
        limit == std::numeric_limits<std::uint64_t>::max() ? limit : limit + 1;
    auto content = read_from(*file, path, 0, most, file->size);
    if (content && content->size() > limit) return too_large(path, limit);
    return content;
  }

  Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                 std::uint64_t length, Links links) override {
    auto file = open_regular(path, links);
    if (!file) return std::move(file.error());
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
      return std::string();
    }
    return read_from(*file, path, offset, length, file->size > offset ? file->size - offset : 0);
  }

  Result<void> replace(const std::string& path, std::string_view content, Links links) override {
    auto target = target_of(path, links);
    if (!target) return std::move(target.error());
    return replace_file(*target, content);
  }

  Result<void> replace_with_mode(const std::string& path, std::string_view content,
                                 std::uint32_t mode, Links links) override {
    auto target = target_of(path, links);
    if (!target) return std::move(target.error());
    return replace_file(*target, content, mode);
  }

  Result<void> remove(const std::string& path, Links links) override {
    auto target = target_of(path, links);
    if (!target) return std::move(target.error());
    return remove_file(*target);
  }

  Result<std::string> canonical(const std::string& path) override { return canonical_path(path); }

  Result<std::vector<std::string>> list(const std::string& path, Links links) override {
    if (auto checked = check_path(path); !checked) return std::move(checked.error());
    Fd fd(open_path(path, O_RDONLY | O_DIRECTORY, links));
    if (!fd.valid()) return path_error("list", path, errno, links);
    DIR* directory = ::fdopendir(fd.get());
    if (directory == nullptr) return errno_error("list", path, errno);
    fd.release();  // closedir closes it
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(directory)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    const int error = errno;
    ::closedir(directory);
    if (error != 0) return errno_error("list", path, error);
    return names;
  }
};

}  // namespace

std::unique_ptr<Files> make_disk_files() {
  return std::make_unique<DiskFiles>();
}

}  // namespace agentd::platform
