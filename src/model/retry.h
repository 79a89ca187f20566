// Retry: whether and when a failed model call is made again. Pure; one budget per model call.
#pragma once

#include <chrono>
#include <optional>

#include "model/failure.h"

namespace agentd::model {

struct RetryPolicy {
  int max_attempts = 10;  // the first one included
  std::chrono::milliseconds first_delay{500};
  std::chrono::milliseconds max_delay{32'000};
  std::chrono::milliseconds max_retry_after{60'000};  // longer: the call ends and tells the time
};

/// The wait before attempt `failed_attempts` + 1, or nothing if the call ends here. Delay: first
/// delay doubling, with `jitter` in [0, 1) taking up to 25 % off; the server's retry-after is a
/// lower bound.
std::optional<std::chrono::milliseconds> retry_delay(const RetryPolicy& policy,
                                                     const ModelFailure& failure,
                                                     int failed_attempts, double jitter);

}  // namespace agentd::model
