#include "hooks/runner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/side_by_side.h"

namespace agentd::hooks {
namespace {

constexpr std::size_t kMostAtOnce = 16;
constexpr std::uint64_t kKillAbove = 16 * 1024 * 1024;  // bytes

struct HookRun {
  HookRecord record;
  HookVerdict verdict;
  std::string notice;  // empty: none
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

// What of its answer means nothing here, if that is not known yet.
std::string notice_of_ignored(const Hook& hook, const HookVerdict& verdict) {
  if (verdict.ignored.empty()) return {};
  if (hook.ignored_told && hook.ignored_told->exchange(true)) return {};
  std::string text = hook.origin + ": a hook of " + std::string(to_string(hook.event)) +
                     " says what agentd ignores:";
  for (const std::string& path : verdict.ignored) text += " " + path;
  return text;
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
  done.notice = notice_of_ignored(hook, done.verdict);
  return done;
}

}  // namespace

HookOutcomes run(const HookSet& set, const HookInput& input, platform::Commands& commands,
                 std::stop_token stop) {
  const std::vector<const Hook*> hooks = matching(set, input);
  HookOutcomes outcomes;
  if (hooks.empty()) return outcomes;

  const std::string event_json = stdin_text(input);
  std::vector<HookRun> runs(hooks.size());
  side_by_side(hooks.size(), kMostAtOnce, [&](std::size_t i) {
    runs[i] = run_one(*hooks[i], input, event_json, commands, stop);
  });

  std::vector<HookVerdict> verdicts;
  std::vector<std::string> notices;
  for (HookRun& each : runs) {
    if (!each.notice.empty()) notices.push_back(std::move(each.notice));
    outcomes.cancelled = outcomes.cancelled || each.record.outcome == HookOutcome::cancelled;
    outcomes.records.push_back(std::move(each.record));
    verdicts.push_back(std::move(each.verdict));
  }
  outcomes.merged = merged(std::move(verdicts));
  std::move(notices.begin(), notices.end(), std::back_inserter(outcomes.merged.notices));
  return outcomes;
}

}  // namespace agentd::hooks
