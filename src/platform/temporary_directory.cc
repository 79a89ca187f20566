#include "platform/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/log.h"
#include "platform/errno_error.h"

namespace agentd::platform {

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (error) log::warning("cannot remove " + path_ + ": " + error.message());
}

Result<std::string> TemporaryDirectory::path() {
  if (!path_.empty()) return path_;
  const char* base = std::getenv("TMPDIR");
  std::string name = base != nullptr && base[0] == '/' ? base : "/tmp";
  name += "/agentd-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return errno_error("make the directory", name, errno);
  path_ = name;
  return path_;
}

}  // namespace agentd::platform
