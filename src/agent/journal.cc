#include "agent/journal.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace agentd::agent {

bool wait_until_kept(Journal& journal) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable came;
    std::optional<bool> kept;
  };
  const auto answer = std::make_shared<Answer>();  // it may come when nobody waits any more
  journal.sync([answer](const Result<void>& kept) {
    std::lock_guard lock(answer->mutex);
    answer->kept = kept.has_value();
    answer->came.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  answer->came.wait_for(lock, kJournalPatience, [&] { return answer->kept.has_value(); });
  return answer->kept.value_or(false);
}

}  // namespace agentd::agent
