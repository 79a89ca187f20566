// Files: the only way tools and attachments touch the user's files. An interface because an editor
// may put its open documents in front of the disk. Calls block: tool threads and jobs only.
// Paths are absolute. Every error names the path and what to do. With Links::refuse a link anywhere
// in the path is an error (Code::conflict), and nothing is read or written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/links.h"

namespace agentd::platform {

enum class FileKind { regular, directory, fifo, socket, device, other };

struct FileInfo {
  FileKind kind = FileKind::other;
  std::uint64_t size = 0;        // bytes
  std::int64_t modified_ns = 0;  // nanoseconds since the epoch
  std::uint32_t mode = 0;        // permission bits (07777)
};

class Files {
 public:
  virtual ~Files() = default;

  /// Code::not_found if nothing is there.
  virtual Result<FileInfo> info(const std::string& path, Links links = Links::follow) = 0;

  /// The whole content of a regular file (anything else is an error: a FIFO or device could block
  /// or never end). Code::too_large above `limit` bytes.
  virtual Result<std::string> read(const std::string& path, std::uint64_t limit,
                                   Links links = Links::follow) = 0;

  /// Up to `length` bytes from `offset` of a regular file; fewer at its end.
  virtual Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                         std::uint64_t length, Links links = Links::follow) = 0;

  /// Puts `content` in place of the file in one step: a reader sees the old or the new bytes, a
  /// full disk leaves the old ones. Creates the file and its parent directories where absent.
  /// Through a followed symlink it changes the target and leaves the link; the mode is kept.
  virtual Result<void> replace(const std::string& path, std::string_view content,
                               Links links = Links::follow) = 0;

  /// replace(), and the file has the permission bits `mode` from the moment it is there.
  virtual Result<void> replace_with_mode(const std::string& path, std::string_view content,
                                         std::uint32_t mode, Links links = Links::follow) = 0;

  /// Removes a regular file (anything else is an error, as is one made read-only). Through a
  /// followed symlink it removes the target. Code::not_found if nothing is there.
  virtual Result<void> remove(const std::string& path, Links links = Links::follow) = 0;

  /// `path` with every symlink, `.` and `..` resolved; the part that does not exist yet is kept as
  /// it is below its deepest existing parent (a dangling link counts as its target).
  virtual Result<std::string> canonical(const std::string& path) = 0;

  /// The entries of a directory, unsorted, without `.` and `..`.
  virtual Result<std::vector<std::string>> list(const std::string& path,
                                                Links links = Links::follow) = 0;
};

/// The disk.
std::unique_ptr<Files> make_disk_files();

}  // namespace agentd::platform
