#include "agent/tool_job.h"

#include <exception>
#include <utility>

#include "agent/texts.h"

namespace agentd::agent {
namespace {

using permission::Decision;

bool same(const Access& a, const Access& b) {
  return a.reads == b.reads && a.writes == b.writes && a.command == b.command;
}

// Rule 4: permission is judged again when the call's place has come, on paths resolved anew, and
// only a stricter verdict counts: what was asked for and agreed to is not asked again, unless it
// has become something else.
permission::Verdict judge(const ToolJob& job, const Access& resolved) {
  auto verdict = permission::judge(job.mode, resolved, job.context.workspace, *job.grants);
  if (verdict.decision != Decision::ask) return verdict;
  if (!job.approved) return verdict;
  if (same(*job.approved, resolved)) return {Decision::allow, {}};
  return {Decision::deny, std::string(texts::kChangedSinceApproval)};
}

void check_and_run(ToolJob& job) {
  auto resolved =
      permission::resolve(job.tool->access(*job.input, job.context.cwd), job.context.files);
  if (!resolved) {
    job.tell(CallFinished{job.job, tools::error_outcome(resolved.error().message)});
    return;
  }
  auto verdict = judge(job, *resolved);
  job.context.judged = &*resolved;
  if (verdict.decision == Decision::allow && job.may_run) {
    job.tell(CallBegan{job.job});
    job.tell(CallFinished{job.job, job.tool->run(*job.input, job.context)});
    return;
  }
  std::optional<std::string> preview;
  if (verdict.decision == Decision::ask) preview = job.tool->preview(*job.input, job.context);
  job.tell(CallChecked{job.job, std::move(verdict), std::move(*resolved), std::move(preview)});
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
