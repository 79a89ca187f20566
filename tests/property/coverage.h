// Coverage: what many random runs have met, counted by name, so that a test fails when chance never
// brings about what it is there for. Used by one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/event.h"

namespace agentd::test {

class Coverage {
 public:
  /// Counts transitions, endings, and how hooks of each event came out.
  void add(const std::vector<agent::Event>& events);

  /// Everything that random runs can meet and these have not: each transition and ending of the
  /// closed sets, each event of hooks with each outcome it can have.
  std::vector<std::string> missed() const;

  /// "name count", sorted.
  std::vector<std::string> counted() const;

 private:
  std::map<std::string, int> counts_;
};

}  // namespace agentd::test
