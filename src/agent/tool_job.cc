#include "agent/tool_job.h"

#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

#include "agent/texts.h"
#include "context/attachment.h"

namespace agentd::agent {
namespace {

using permission::Decision;

// Runs the hooks of `event` and tells of it.
hooks::MergedVerdict run_hooks(ToolJob& job, hooks::EventInput event) {
  auto outcomes = hooks::run(*job.hooks.set, job.hooks.with(std::move(event)), job.context.commands,
                             job.context.stop);
  auto& merged = outcomes.merged;
  HooksRan ran{job.job, std::move(outcomes.records), std::nullopt,
               std::move(merged.system_messages), std::move(outcomes.ignored)};
  std::move(merged.notices.begin(), merged.notices.end(), std::back_inserter(ran.messages));
  if (merged.stop) ran.stop = merged.stop_reason;
  job.tell(std::move(ran));
  return std::move(merged);
}

// The call is over without having run.
bool refuse(ToolJob& job, std::string text) {
  job.tell(CallFinished{job.job, tools::error_outcome(std::move(text))});
  return false;
}

// What a hook made of the input, checked as the model's was. False: the call is over.
bool take_hooks_input(ToolJob& job, const std::optional<Json>& input) {
  if (!input) return true;
  auto fitting = job.tool->coerce(*input);
  if (!fitting) return refuse(job, texts::invalid_hook_input(fitting.error().message));
  job.input = std::make_shared<const Json>(std::move(*fitting));
  return true;
}

// PreToolUse. False: the call is over.
bool ask_hooks_before(ToolJob& job) {
  if (job.hook_word.asked || !job.hooks.has(hooks::Event::pre_tool_use)) return true;
  auto merged = run_hooks(job, hooks::PreToolUseInput{job.tool->definition().name, *job.input,
                                                      job.context.tool_use_id});
  // A hook that was killed with the run has not had its word: nothing runs.
  if (job.context.stop.stop_requested()) {
    return refuse(job, std::string(texts::kNotRunInterrupted));
  }
  if (merged.stop) return refuse(job, std::string(texts::kHookStopped));
  job.hook_word = {true, merged.permission, std::move(merged.reason), std::move(merged.contexts)};
  return take_hooks_input(job, merged.updated_input);
}

// Rule 4: permission is judged again when the call's place has come, on paths resolved anew, and
// only a stricter verdict counts: what was asked for and agreed to is not asked again, unless it
// has become something else.
permission::Verdict judge(const ToolJob& job, const Access& resolved) {
  auto verdict =
      with_hooks(permission::judge(job.mode, resolved, job.context.workspace, *job.grants),
                 job.hook_word, resolved);
  if (verdict.decision != Decision::ask) return verdict;
  if (!job.approved) return verdict;
  if (*job.approved == resolved) return {Decision::allow, {}};
  return {Decision::deny, std::string(texts::kChangedSinceApproval)};
}

// What the call would touch, resolved, and judged. False: the call is over.
bool look(ToolJob& job, Access& access, permission::Verdict& verdict) {
  auto resolved =
      permission::resolve(job.tool->access(*job.input, job.context.cwd), job.context.files);
  if (!resolved) return refuse(job, resolved.error().message);
  access = std::move(*resolved);
  verdict = judge(job, access);
  return true;
}

// PermissionRequest: before a person is asked, a hook may answer, also with another input, which is
// judged anew. False: the call is over.
bool ask_hooks_instead(ToolJob& job, Access& access, permission::Verdict& verdict,
                       HookAnswer& answer) {
  const bool asks = verdict.decision == Decision::ask && job.hooks_may_answer;
  if (!asks || !job.hooks.has(hooks::Event::permission_request)) return true;
  const auto merged =
      run_hooks(job, hooks::PermissionRequestInput{job.tool->definition().name, *job.input});
  if (job.context.stop.stop_requested()) {
    return refuse(job, std::string(texts::kNotRunInterrupted));
  }
  if (merged.permission == hooks::PermissionDecision::deny || merged.stop) {
    verdict = {Decision::deny, merged.reason.empty() ? "A hook denied it." : merged.reason};
    answer = HookAnswer::denied;
    return true;
  }
  if (merged.permission != hooks::PermissionDecision::allow) return true;
  if (!take_hooks_input(job, merged.updated_input)) return false;
  if (merged.updated_input && !look(job, access, verdict)) return false;
  answer = verdict.decision == Decision::deny ? HookAnswer::denied : HookAnswer::allowed;
  return true;
}

void add_context(tools::Outcome& outcome, hooks::Event event, std::vector<std::string> said) {
  for (std::string& text : said) {
    outcome.content.emplace_back(
        TextBlock{context::wrapped({context::AttachmentKind::hook_context,
                                    std::string(hooks::to_string(event)), std::move(text)})});
  }
}

// PostToolUse or PostToolUseFailure: what they have to say goes along with the result.
void tell_hooks_after(ToolJob& job, tools::Outcome& outcome, std::chrono::milliseconds took) {
  const auto event =
      outcome.is_error ? hooks::Event::post_tool_use_failure : hooks::Event::post_tool_use;
  if (!job.hooks.has(event) || job.context.stop.stop_requested()) return;
  const std::string& name = job.tool->definition().name;
  hooks::EventInput input = hooks::PostToolUseInput{name,
                                                    *job.input,
                                                    {{"content", text_of(outcome.content)}},
                                                    job.context.tool_use_id,
                                                    took.count()};
  if (outcome.is_error) {
    input = hooks::PostToolUseFailureInput{
        name, *job.input, job.context.tool_use_id, text_of(outcome.content), false, took.count()};
  }
  auto merged = run_hooks(job, std::move(input));
  if (merged.block && !merged.reason.empty()) {
    merged.contexts.insert(merged.contexts.begin(), merged.reason);
  }
  add_context(outcome, event, std::move(merged.contexts));
}

// What changes something is kept as begun before it begins: after a crash the model is told that it
// may have run, and nothing runs twice.
void keep_start(ToolJob& job) {
  if (!job.journal) return;
  job.journal->keep_start(job.context.tool_use_id);
  if (!job.safe) wait_until_kept(*job.journal, job.context.stop);
}

void run_tool(ToolJob& job) {
  keep_start(job);
  if (job.context.stop.stop_requested()) {  // while it waited
    (void)refuse(job, std::string(texts::kNotRunInterrupted));
    return;
  }
  const auto began = std::chrono::steady_clock::now();
  job.tell(CallBegan{job.job, job.input});
  tools::Outcome outcome = job.tool->run(*job.input, job.context);
  add_context(outcome, hooks::Event::pre_tool_use, std::move(job.hook_word.contexts));
  tell_hooks_after(job, outcome,
                   std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::steady_clock::now() - began));
  job.tell(CallFinished{job.job, std::move(outcome)});
}

void check_and_run(ToolJob& job) {
  Access access;
  permission::Verdict verdict;
  if (!ask_hooks_before(job) || !look(job, access, verdict)) return;
  job.context.judged = &access;
  if (verdict.decision == Decision::allow && job.may_run) return run_tool(job);
  HookAnswer answer = HookAnswer::none;
  if (!ask_hooks_instead(job, access, verdict, answer)) return;
  std::optional<std::string> preview;
  if (verdict.decision == Decision::ask && answer == HookAnswer::none) {
    preview = job.tool->preview(*job.input, job.context);
  }
  job.tell(CallChecked{job.job, job.input, std::move(job.hook_word), answer, std::move(verdict),
                       std::move(access), std::move(preview)});
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
