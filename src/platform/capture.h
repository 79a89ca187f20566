// Output within bounds: the first and the last bytes of a stream in memory, and the whole of a
// command's output in a file once memory no longer holds it. io thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "platform/commands.h"
#include "platform/fd.h"

namespace agentd::platform {

class OutputCapture {
 public:
  OutputCapture(std::uint64_t keep_head, std::uint64_t keep_tail)
      : keep_head_(keep_head), keep_tail_(keep_tail) {}

  void add(std::string_view bytes);
  std::uint64_t total() const { return total_; }
  /// True if `more` bytes added now would push something out.
  bool would_skip(std::uint64_t more) const { return total_ + more > keep_head_ + keep_tail_; }

  /// Everything so far, while nothing was pushed out.
  std::string_view head() const { return head_; }
  std::string_view tail() const { return tail_; }

  CapturedOutput take();

 private:
  std::uint64_t keep_head_;
  std::uint64_t keep_tail_;
  std::string head_;
  std::string tail_;  // up to twice keep_tail_, so that cutting is paid once per keep_tail_ bytes
  std::uint64_t total_ = 0;
};

/// The file with the whole output. Written on the io thread: the page cache takes these bytes, a
/// disk is not waited for.
class WholeOutput {
 public:
  explicit WholeOutput(std::uint64_t limit) : limit_(limit) {}

  bool open() const { return file_.valid(); }
  /// `path` is a new file's.
  Result<void> start(std::string path);
  /// Past the limit, and after a failed write, bytes are dropped.
  void add(std::string_view bytes);
  const std::string& path() const { return path_; }
  std::uint64_t written() const { return written_; }

 private:
  std::uint64_t limit_;
  std::uint64_t written_ = 0;
  Fd file_;
  std::string path_;
};

}  // namespace agentd::platform
