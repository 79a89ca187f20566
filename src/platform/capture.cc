#include "platform/capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "platform/errno_error.h"

namespace agentd::platform {

void OutputCapture::add(std::string_view bytes) {
  total_ += bytes.size();
  if (head_.size() < keep_head_) {
    const std::size_t room = static_cast<std::size_t>(keep_head_ - head_.size());
    const std::size_t taken = std::min(room, bytes.size());
    head_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
  }
  if (bytes.size() >= keep_tail_) {
    tail_.assign(bytes.substr(bytes.size() - static_cast<std::size_t>(keep_tail_)));
    return;
  }
  tail_.append(bytes);
  if (tail_.size() > 2 * keep_tail_) {
    tail_.erase(0, tail_.size() - static_cast<std::size_t>(keep_tail_));
  }
}

CapturedOutput OutputCapture::take() {
  if (tail_.size() > keep_tail_) {
    tail_.erase(0, tail_.size() - static_cast<std::size_t>(keep_tail_));
  }
  CapturedOutput output;
  output.total_bytes = total_;
  output.skipped_bytes = total_ - head_.size() - tail_.size();
  output.head = std::move(head_);
  if (output.skipped_bytes == 0) {
    output.head += tail_;
  } else {
    output.tail = std::move(tail_);
  }
  return output;
}

Result<void> WholeOutput::start(std::string path) {
  path_ = std::move(path);
  file_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file_.valid()) return {};
  const int error = errno;
  return errno_error("create", std::exchange(path_, {}), error);
}

void WholeOutput::add(std::string_view bytes) {
  bytes = bytes.substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), limit_ - written_)));
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      log::warning("the output file is cut: " + errno_error("write", path_, errno).message);
      limit_ = written_;
      return;
    }
    written_ += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

}  // namespace agentd::platform
