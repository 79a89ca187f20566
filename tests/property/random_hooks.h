// RandomHooks: what hook programs may do, behind the interface through which hooks are started, so
// that thousands of random runs need no thousand processes: they answer, object, change the input,
// say nothing, say nonsense, die, flood, run out of time, or hang until they are killed. All that
// reads and merges their words is the real thing. Any thread may run one.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "hooks/hook_set.h"
#include "platform/commands.h"
#include "property/random_mind.h"

namespace agentd::test {

class RandomHooks final : public platform::Commands {
 public:
  explicit RandomHooks(std::uint64_t seed) : source_(seed) {}

  /// Some hooks for some events, for some tools or for all.
  static std::shared_ptr<const hooks::HookSet> random_set(RandomMind& choice);

  Result<platform::CommandEnd> run(platform::CommandSpec spec, std::stop_token stop) override;
  void end_session(const std::string&) override {}

  /// Waits until a hook hangs that nobody was told of yet; false if `stop` comes first.
  bool wait_hanging(std::stop_token stop);

  /// The calls to which a PreToolUse hook said no: they must not run, whatever others say.
  std::set<std::string> refused_calls() const;
  /// How many hooks were started.
  int started() const;
  /// What was wrong with what the hooks were given, in words.
  std::vector<std::string> faults() const;

 private:
  platform::CommandEnd hang(std::stop_token stop);

  mutable std::mutex mutex_;
  std::condition_variable_any hanging_;
  RandomMind source_;
  int hangs_ = 0;  // not told yet
  int started_ = 0;
  std::set<std::string> refused_;
  std::vector<std::string> faults_;
};

}  // namespace agentd::test
