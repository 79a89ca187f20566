#include "model/output_limits.h"

#include <algorithm>

namespace agentd::model {

void OutputLimits::learn(const std::string& model, std::int64_t tokens) {
  std::lock_guard lock(mutex_);
  const auto [limit, added] = limits_.emplace(model, tokens);
  if (!added) limit->second = std::min(limit->second, tokens);
}

ModelFacts OutputLimits::applied(const std::string& model, ModelFacts facts) const {
  std::lock_guard lock(mutex_);
  const auto limit = limits_.find(model);
  if (limit == limits_.end()) return facts;
  facts.default_output = std::min(facts.default_output, limit->second);  // 0 stays: none is asked
  const bool known = facts.maximum_output > 0;
  facts.maximum_output = known ? std::min(facts.maximum_output, limit->second) : limit->second;
  return facts;
}

}  // namespace agentd::model
