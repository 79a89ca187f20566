// What a person can do about a model call that failed for good. Pure.
#pragma once

#include <string>

#include "model/failure.h"

namespace agentd::model {

/// The failure's own message, and a sentence about what to do where there is something to do.
std::string with_advice(const ModelFailure& failure);

}  // namespace agentd::model
