#include "server/run_output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace agentd::server {
namespace {

using namespace std::chrono_literals;
using Kind = platform::WriteStep::Kind;

constexpr auto kLastWords = 500ms;

// What has room at the reader's until `deadline`; false if that was not all of it.
bool write_by(int fd, std::string_view text, std::chrono::steady_clock::time_point deadline) {
  while (!text.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd reader{fd, POLLOUT, 0};
    const int ready = poll(&reader, 1, static_cast<int>(std::max(left, 0ms).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t written = write(fd, text.data(), std::min(text.size(), platform::kWriteAtOnce));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

bool RunOutput::write_answer(std::string_view text) {
  if (answer_gone_) return false;
  switch (write_to(answer_, text)) {
    case Kind::wrote:
      return true;
    case Kind::woken:
      answer_gone_ = true;  // the signal decides how we end
      return false;
    case Kind::closed:
    case Kind::failed:
      lost();
      return false;
  }
  return false;
}

bool RunOutput::write_activity(std::string_view text) {
  if (!activity_gone_) activity_gone_ = write_to(STDERR_FILENO, text) != Kind::wrote;
  return !activity_gone_;
}

void RunOutput::wait() {
  if (answer_gone_) {
    std::array<char, 1> nothing{};
    (void)platform::read_or_wake(-1, wake_, nothing);
  } else if (platform::wait_idle(answer_, wake_).kind != Kind::woken) {
    lost();
  }
}

// Not past a signal: `woken` says that the reader did not read in time. Whoever called us goes on
// with what it was woken for.
Kind RunOutput::write_to(int fd, std::string_view text) {
  while (!text.empty()) {
    if (hurried_) {
      if (!last_words_by_) last_words_by_ = std::chrono::steady_clock::now() + kLastWords;
      return write_by(fd, text, *last_words_by_) ? Kind::wrote : Kind::woken;
    }
    const auto step = platform::write_or_wake(fd, wake_, text);
    if (step.kind == Kind::closed || step.kind == Kind::failed) return step.kind;
    text.remove_prefix(step.bytes);
  }
  return Kind::wrote;
}

void RunOutput::lost() {
  answer_gone_ = true;
  on_lost_();
}

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace agentd::server
