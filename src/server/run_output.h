// RunOutput: the answer and the activity of `agentd run`, written to their descriptors. A slow
// reader is waited for, but not past a signal. The main thread's, but for hurry().
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "platform/stdio.h"

namespace agentd::server {

class RunOutput {
 public:
  /// `answer` is the descriptor of the answer; activity goes to standard error. `wake` is woken by
  /// whatever the main thread should do meanwhile. `on_lost` is called once, when nobody reads the
  /// answer any more.
  RunOutput(int answer, platform::Wake& wake, std::function<void()> on_lost)
      : answer_(answer), wake_(wake), on_lost_(std::move(on_lost)) {}

  /// All of `text`; false once it cannot be written any more.
  bool write_answer(std::string_view text);
  bool write_activity(std::string_view text);

  /// Until `wake`; notices meanwhile if the reader of the answer is gone.
  void wait();

  /// A signal came: from now on readers are waited for half a second in all. Any thread; `wake` is
  /// to be woken after it.
  void hurry() { hurried_ = true; }

 private:
  platform::WriteStep::Kind write_to(int fd, std::string_view text);
  void lost();

  const int answer_;
  platform::Wake& wake_;
  const std::function<void()> on_lost_;
  bool answer_gone_ = false;
  bool activity_gone_ = false;
  std::atomic<bool> hurried_{false};
  std::optional<std::chrono::steady_clock::time_point> last_words_by_;  // once hurried
};

/// All of `text`, however long that takes; false if it could not be written.
bool write_fully(int fd, std::string_view text);

}  // namespace agentd::server
