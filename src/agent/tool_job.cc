#include "agent/tool_job.h"

#include <chrono>
#include <exception>
#include <utility>

#include "agent/texts.h"
#include "context/attachment.h"

namespace agentd::agent {
namespace {

using permission::Decision;

bool same(const Access& a, const Access& b) {
  return a.reads == b.reads && a.writes == b.writes && a.command == b.command;
}

// Tells what the hooks did; nullopt if the run is being cancelled or a hook ends it: then the call
// does not go on, and that has been told.
std::optional<hooks::MergedVerdict> run_hooks(ToolJob& job, hooks::EventInput event) {
  auto outcomes = hooks::run(*job.hooks.set, job.hooks.with(std::move(event)), job.context.commands,
                             job.context.stop);
  std::optional<std::string> stop;
  if (outcomes.merged.stop) stop = outcomes.merged.stop_reason;
  job.tell(HooksRan{job.job, std::move(outcomes.records), std::move(stop)});
  return std::move(outcomes.merged);
}

tools::Outcome denied_by_hook(const std::string& reason) {
  return tools::error_outcome("Not run: a hook ended the run." +
                              (reason.empty() ? std::string() : " It says: " + reason));
}

// PreToolUse. False: the call is over, and that has been told.
bool ask_hooks_before(ToolJob& job) {
  if (job.hooks_ran || !job.hooks.has(hooks::Event::pre_tool_use)) return true;
  const auto merged = run_hooks(job, hooks::PreToolUseInput{job.tool->definition().name, *job.input,
                                                            job.context.tool_use_id});
  // A hook that was killed with the run has not had its word: nothing runs.
  if (job.context.stop.stop_requested()) {
    job.tell(CallFinished{job.job, tools::error_outcome(std::string(texts::kNotRunInterrupted))});
    return false;
  }
  if (merged->stop) {
    job.tell(CallFinished{job.job, denied_by_hook(merged->stop_reason)});
    return false;
  }
  job.hooks_say = merged->permission;
  job.hook_reason = merged->reason;
  if (!merged->updated_input) return true;
  auto fitting = job.tool->coerce(*merged->updated_input);
  if (!fitting) {
    job.tell(CallFinished{
        job.job, tools::error_outcome(texts::invalid_hook_input(fitting.error().message))});
    return false;
  }
  job.input = std::make_shared<const Json>(std::move(*fitting));
  return true;
}

// Rule 4: permission is judged again when the call's place has come, on paths resolved anew, and
// only a stricter verdict counts: what was asked for and agreed to is not asked again, unless it
// has become something else.
permission::Verdict judge(const ToolJob& job, const Access& resolved) {
  auto verdict =
      with_hooks(permission::judge(job.mode, resolved, job.context.workspace, *job.grants),
                 job.hooks_say, job.hook_reason);
  if (verdict.decision != Decision::ask) return verdict;
  if (!job.approved) return verdict;
  if (same(*job.approved, resolved)) return {Decision::allow, {}};
  return {Decision::deny, std::string(texts::kChangedSinceApproval)};
}

// PermissionRequest: before a person is asked, a hook may answer. True if it allowed the call.
bool ask_hooks_instead(ToolJob& job, permission::Verdict& verdict) {
  if (verdict.decision != Decision::ask) return false;
  if (!job.hooks.has(hooks::Event::permission_request)) return false;
  const auto merged =
      run_hooks(job, hooks::PermissionRequestInput{job.tool->definition().name, *job.input});
  if (merged->permission == hooks::PermissionDecision::deny || merged->stop) {
    verdict = {Decision::deny, merged->reason.empty() ? "A hook denied it." : merged->reason};
    return false;
  }
  return merged->permission == hooks::PermissionDecision::allow;
}

std::string text_of(const tools::Outcome& outcome) {
  std::string text;
  for (const ToolContent& part : outcome.content) {
    if (const auto* block = std::get_if<TextBlock>(&part)) text += block->text;
  }
  return text;
}

// PostToolUse or PostToolUseFailure: what they have to say goes along with the result.
void tell_hooks_after(ToolJob& job, tools::Outcome& outcome, std::chrono::milliseconds took) {
  const auto event =
      outcome.is_error ? hooks::Event::post_tool_use_failure : hooks::Event::post_tool_use;
  if (!job.hooks.has(event) || job.context.stop.stop_requested()) return;
  const std::string& name = job.tool->definition().name;
  std::optional<hooks::MergedVerdict> merged;
  if (outcome.is_error) {
    merged =
        run_hooks(job, hooks::PostToolUseFailureInput{name, *job.input, job.context.tool_use_id,
                                                      text_of(outcome), false, took.count()});
  } else {
    merged = run_hooks(job, hooks::PostToolUseInput{name,
                                                    *job.input,
                                                    {{"content", text_of(outcome)}},
                                                    job.context.tool_use_id,
                                                    took.count()});
  }
  std::vector<std::string> said = std::move(merged->contexts);
  if (merged->block && !merged->reason.empty()) said.insert(said.begin(), merged->reason);
  for (std::string& text : said) {
    outcome.content.emplace_back(
        TextBlock{context::wrapped({context::AttachmentKind::hook_context,
                                    std::string(hooks::to_string(event)), std::move(text)})});
  }
}

void run_tool(ToolJob& job) {
  const auto began = std::chrono::steady_clock::now();
  job.tell(CallBegan{job.job, job.input});
  tools::Outcome outcome = job.tool->run(*job.input, job.context);
  tell_hooks_after(job, outcome,
                   std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::steady_clock::now() - began));
  job.tell(CallFinished{job.job, std::move(outcome)});
}

void check_and_run(ToolJob& job) {
  if (!ask_hooks_before(job)) return;
  auto resolved =
      permission::resolve(job.tool->access(*job.input, job.context.cwd), job.context.files);
  if (!resolved) {
    job.tell(CallFinished{job.job, tools::error_outcome(resolved.error().message)});
    return;
  }
  auto verdict = judge(job, *resolved);
  job.context.judged = &*resolved;
  if (verdict.decision == Decision::allow && job.may_run) return run_tool(job);
  const bool approved_by_hook = ask_hooks_instead(job, verdict);
  std::optional<std::string> preview;
  if (verdict.decision == Decision::ask && !approved_by_hook) {
    preview = job.tool->preview(*job.input, job.context);
  }
  job.tell(CallChecked{job.job, job.input, job.hooks_say, job.hook_reason, approved_by_hook,
                       std::move(verdict), std::move(*resolved), std::move(preview)});
}

}  // namespace

void perform(ToolJob job) {
  try {
    check_and_run(job);
  } catch (const std::exception& failure) {
    job.tell(
        CallFinished{job.job, tools::error_outcome(std::string(texts::kCrashed) + failure.what())});
  } catch (...) {
    job.tell(CallFinished{job.job, tools::error_outcome(std::string(texts::kCrashed) + "unknown")});
  }
}

}  // namespace agentd::agent
