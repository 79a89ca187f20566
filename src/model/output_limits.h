// OutputLimits: how many tokens the models of this process can write, as their endpoints told when
// they refused more. The catalog may be older than a model, or a gateway stricter than its vendor.
// Made by Models, shared by every model it resolves; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "model/model_facts.h"

namespace agentd::model {

class OutputLimits {
 public:
  /// `tokens` is what `model` (as clients see it) allows; of several the lowest counts.
  void learn(const std::string& model, std::int64_t tokens);

  /// `facts` of `model` with no more output than it is known to allow.
  ModelFacts applied(const std::string& model, ModelFacts facts) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> limits_;
};

}  // namespace agentd::model
