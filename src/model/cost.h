// Cost: what a model call cost, from its usage and the model's prices. Pure.
#pragma once

#include <string>

#include "model/models.h"

namespace agentd::model {

/// US dollars. A count that was not told counts as none.
double cost_usd(const Usage& usage, const Prices& prices);

/// "$0.42", "$0.0031": two digits that say something.
std::string usd(double dollars);

}  // namespace agentd::model
