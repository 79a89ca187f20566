#include "agent/journal.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace agentd::agent {

void wait_until_kept(Journal& journal, const std::stop_token& stop) {
  if (journal.keeping() != Keeping::well) return;
  struct Answer {
    std::mutex mutex;
    std::condition_variable_any came;
    std::optional<bool> kept;
  };
  const auto answer = std::make_shared<Answer>();  // it may come when nobody waits any more
  journal.sync([answer](const Result<void>& kept) {
    std::lock_guard lock(answer->mutex);
    answer->kept = kept.has_value();
    answer->came.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  answer->came.wait_for(lock, stop, kJournalPatience, [&] { return answer->kept.has_value(); });
  if (answer->kept.value_or(false) || (!answer->kept && stop.stop_requested())) return;
  journal.set_keeping(answer->kept ? Keeping::failed : Keeping::late);
}

}  // namespace agentd::agent
