// SessionRig: a real store in a directory of its own, on its own thread, asked by a test that
// waits for the answer. Many sessions of many random runs share it.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "platform/files.h"
#include "platform/temporary_directory.h"
#include "session/opening.h"
#include "session/rewind.h"
#include "session/store_thread.h"

namespace agentd::test {

class SessionRig {
 public:
  /// `clock` outlives it.
  explicit SessionRig(Clock& clock_of_all);
  ~SessionRig();
  SessionRig(const SessionRig&) = delete;
  SessionRig& operator=(const SessionRig&) = delete;

  /// `ask` on the store's thread; its answer.
  template <class T>
  Result<T> ask(std::function<Result<T>(session::SessionStore&)> ask) {
    std::promise<std::shared_ptr<Result<T>>> answer;
    thread->post([&](const Result<session::SessionStore*>& store) {
      answer.set_value(
          std::make_shared<Result<T>>(store ? ask(**store) : Result<T>(store.error())));
    });
    return std::move(*answer.get_future().get());
  }

  Result<session::OpenedSession> open(const std::string& id);
  std::vector<session::Part> parts(const std::string& id);
  /// All of the session as JSON Lines, its header first.
  std::string exported(const std::string& id);
  /// Every message that was ever said in it.
  std::vector<MessagePtr> log(const std::string& id);

  platform::Files& files() { return *files_; }

  Clock& clock;
  std::shared_ptr<session::StoreThread> thread;

 private:
  platform::TemporaryDirectory place_;
  std::unique_ptr<platform::Files> files_ = platform::make_disk_files();
};

/// Byte for byte what there is to compare.
std::string text_of(const std::vector<MessagePtr>& messages);

}  // namespace agentd::test
