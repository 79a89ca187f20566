#include "session/session_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "platform/errno_error.h"
#include "platform/read_set.h"

namespace agentd::session {
namespace {

constexpr mode_t kUserAlone = 0600;
constexpr std::size_t kLongest = 256;  // bytes of "PID WRITER\n"

std::string locks_in(const std::string& directory) {
  return directory + "/locks";
}

// Ids come from clients: any text, so not a file name.
std::string lock_file(const std::string& directory, const std::string& session_id) {
  const auto hash = platform::hash_content(session_id);
  return locks_in(directory) + "/" + std::to_string(hash.high) + "-" + std::to_string(hash.low) +
         ".lock";
}

std::string read_all(int fd) {
  std::array<char, kLongest> buffer;
  const ssize_t bytes = pread(fd, buffer.data(), buffer.size(), 0);
  return bytes > 0 ? std::string(buffer.data(), static_cast<std::size_t>(bytes)) : std::string();
}

// Who has just made the file writes its name into it next.
std::string holder_of(int fd) {
  constexpr int kTries = 20;
  for (int tried = 0; tried < kTries; ++tried) {
    std::string said = read_all(fd);
    if (!said.empty()) return said;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

// A process that has just told the end of its run is about to let go.
bool lock_within_reason(int fd) {
  constexpr int kTries = 10;
  for (int tried = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; ++tried) {
    if (errno != EWOULDBLOCK || tried == kTries) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

Error held(const std::string& said) {
  const std::string pid = said.substr(0, said.find(' '));
  return make_error(Code::session_locked,
                    "another agentd" + (pid.empty() ? "" : " (process " + pid + ")") +
                        " is running this session: wait until it is done, or fork it");
}

bool is_at(int fd, const std::string& path) {
  struct stat ours;
  struct stat there;
  return fstat(fd, &ours) == 0 && lstat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

// Between its opening and its locking the file may have been removed with its session: a lock on
// it would keep nobody from the one that takes its place.
Result<platform::Fd> lock_what_is_there(const std::string& path) {
  while (true) {
    platform::Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kUserAlone));
    if (!file.valid()) return platform::errno_error("open", path, errno);
    if (!lock_within_reason(file.get())) {
      if (errno == EWOULDBLOCK) return held(holder_of(file.get()));
      return platform::errno_error("lock", path, errno);
    }
    if (is_at(file.get(), path)) return file;
  }
}

}  // namespace

Result<SessionLock> SessionLock::take(const std::string& directory, const std::string& session_id,
                                      const std::string& writer) {
  std::error_code failed;
  std::filesystem::create_directories(locks_in(directory), failed);  // the open says what failed
  const std::string path = lock_file(directory, session_id);
  auto locked = lock_what_is_there(path);
  if (!locked) return locked.error();
  platform::Fd file = std::move(*locked);
  const std::string before = read_all(file.get());
  const bool was_ours = before.find(' ' + writer + '\n') != std::string::npos;
  const std::string now = std::to_string(getpid()) + ' ' + writer + '\n';
  // In this order the file is never empty once it has been written.
  const bool written =
      pwrite(file.get(), now.data(), now.size(), 0) == static_cast<ssize_t>(now.size()) &&
      ftruncate(file.get(), static_cast<off_t>(now.size())) == 0;
  if (!written) return platform::errno_error("write", path, errno);
  return SessionLock(std::move(file), was_ours, before.empty());
}

void forget_lock(const std::string& directory, const std::string& session_id) {
  std::error_code failed;
  std::filesystem::remove(lock_file(directory, session_id), failed);
}

}  // namespace agentd::session
