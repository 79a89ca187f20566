#include "hooks/runner.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"

namespace agentd::hooks {
namespace {

constexpr std::size_t kMostAtOnce = 16;
constexpr std::uint64_t kKillAbove = 16 * 1024 * 1024;  // bytes

struct HookRun {
  HookRecord record;
  HookVerdict verdict;
};

platform::CommandSpec command_of(const Hook& hook, const HookInput& input,
                                 const std::string& event_json) {
  platform::CommandSpec spec;
  if (hook.args) {
    spec.argv = {hook.command};
    spec.argv.insert(spec.argv.end(), hook.args->begin(), hook.args->end());
  } else {
    spec.argv = {"bash", "-c", hook.command};
  }
  spec.cwd = input.cwd;
  spec.environment = {{"CLAUDE_PROJECT_DIR", input.project_directory},
                      {"AGENTD_PROJECT_DIR", input.project_directory}};
  spec.stdin_text = event_json;
  spec.session_id = input.session_id;
  spec.timeout = hook.timeout;
  spec.keep_head = kMaxOutputBytes;
  spec.keep_tail = 0;
  spec.kill_above = kKillAbove;
  return spec;
}

HookVerdict cancelled() {
  HookVerdict verdict;
  verdict.outcome = HookOutcome::cancelled;
  return verdict;
}

std::string message_of(const HookVerdict& verdict) {
  switch (verdict.outcome) {
    case HookOutcome::broken:
      return "The hook " + verdict.shown;
    case HookOutcome::cancelled:
      return "The hook was cancelled";
    case HookOutcome::blocked:
      return verdict.reason;
    case HookOutcome::success:
      return verdict.system_message.empty() ? verdict.shown : verdict.system_message;
  }
  return {};
}

HookRun run_one(const Hook& hook, const HookInput& input, const std::string& event_json,
                platform::Commands& commands, std::stop_token stop) {
  HookRun done;
  if (stop.stop_requested()) {
    done.verdict = cancelled();
  } else if (auto end = commands.run(command_of(hook, input, event_json), stop); !end) {
    done.verdict = broken("could not be started: " + end.error().message);
  } else {
    done.verdict = read_verdict(hook.event, *end);
    done.record.duration = end->duration;
    if (end->how == platform::CommandEnd::How::exited) done.record.exit_code = end->exit_code;
  }
  done.record.command = hook.command;
  done.record.origin = hook.origin;
  done.record.event = hook.event;
  done.record.outcome = done.verdict.outcome;
  done.record.message = message_of(done.verdict);
  return done;
}

// Calls `work(0)` to `work(count - 1)`, several at once, and returns when all are done. This thread
// works too, so that with no other thread to be had it still gets done.
template <class Work>
void side_by_side(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(count, kMostAtOnce)) others.emplace_back(take_turns);
  } catch (const std::system_error& error) {
    log::warning(std::string("no thread for a hook: ") + error.what());
  }
  take_turns();
}

}  // namespace

HookOutcomes run(const HookSet& set, const HookInput& input, platform::Commands& commands,
                 std::stop_token stop) {
  const std::vector<const Hook*> hooks = matching(set, input);
  HookOutcomes outcomes;
  if (hooks.empty()) return outcomes;

  const std::string event_json = stdin_text(input);
  std::vector<HookRun> runs(hooks.size());
  side_by_side(hooks.size(), [&](std::size_t i) {
    runs[i] = run_one(*hooks[i], input, event_json, commands, stop);
  });

  std::vector<HookVerdict> verdicts;
  for (HookRun& each : runs) {
    outcomes.cancelled = outcomes.cancelled || each.record.outcome == HookOutcome::cancelled;
    outcomes.records.push_back(std::move(each.record));
    verdicts.push_back(std::move(each.verdict));
  }
  outcomes.merged = merged(std::move(verdicts));
  return outcomes;
}

}  // namespace agentd::hooks
