#include "model/retry.h"

#include <algorithm>

namespace agentd::model {
namespace {

using std::chrono::milliseconds;

milliseconds doubled(milliseconds first, int times, milliseconds limit) {
  milliseconds delay = std::min(first, limit);
  for (int i = 0; i < times && delay < limit; ++i) delay = std::min(delay * 2, limit);
  return delay;
}

}  // namespace

std::optional<milliseconds> retry_delay(const RetryPolicy& policy, const ModelFailure& failure,
                                        int failed_attempts, double jitter) {
  if (failed_attempts >= policy.max_attempts) return std::nullopt;
  if (!failure.should_retry.value_or(may_pass(failure.failure_class))) return std::nullopt;
  const milliseconds told = failure.retry_after.value_or(milliseconds(0));
  if (told > policy.max_retry_after) return std::nullopt;

  const milliseconds full =
      doubled(policy.first_delay, std::max(failed_attempts - 1, 0), policy.max_delay);
  const auto off = static_cast<std::int64_t>(static_cast<double>(full.count()) * 0.25 * jitter);
  return std::max(full - milliseconds(off), told);
}

}  // namespace agentd::model
