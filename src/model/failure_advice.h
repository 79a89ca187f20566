// What a person can do about a model call that failed for good. Pure.
#pragma once

#include <string>

#include "model/failure.h"
#include "model/retry.h"

namespace agentd::model {

/// The failure's own message, and a sentence about what to do where there is something to do.
/// `policy` is what the call was retried by: a wait that is longer than it allows is named.
std::string with_advice(const ModelFailure& failure, const RetryPolicy& policy);

}  // namespace agentd::model
