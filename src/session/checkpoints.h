// SessionCheckpoints: the checkpoints of one run, kept in the store. Its calls' threads use it side
// by side.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "agent/checkpoints.h"
#include "session/store_thread.h"

namespace agentd::session {

class SessionCheckpoints final : public agent::Checkpoints {
 public:
  /// `log_size`: messages in the session's log, as its journal counts them. A reply counts only
  /// when its calls are settled.
  SessionCheckpoints(std::shared_ptr<StoreThread> store, std::string session, std::string run,
                     std::shared_ptr<const std::atomic<std::int64_t>> log_size);

  void before_change(const std::string& tool_use_id, agent::FileBefore before) override;

  static constexpr std::chrono::seconds kLongestWait{2};

 private:
  std::shared_ptr<StoreThread> store_;
  std::string session_;
  std::string run_;
  std::shared_ptr<const std::atomic<std::int64_t>> log_size_;
  // Not answered in time: until it does nobody waits for it again.
  std::shared_ptr<std::atomic<bool>> late_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace agentd::session
