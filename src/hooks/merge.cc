#include "hooks/merge.h"

#include <algorithm>
#include <utility>

namespace agentd::hooks {
namespace {

// Two hooks of one mind say it once.
void add_line(std::string& text, const std::string& line) {
  if (line.empty() || text == line) return;
  if (!text.empty()) text += '\n';
  text += line;
}

std::optional<PermissionDecision> strictest(const std::vector<HookVerdict>& verdicts) {
  std::optional<PermissionDecision> found;
  for (const HookVerdict& verdict : verdicts) found = std::max(found, verdict.permission);
  return found;
}

// A block's reason counts, and of the permissions those of the decision that won.
bool reason_counts(const HookVerdict& verdict, std::optional<PermissionDecision> permission) {
  return verdict.block || (verdict.permission && verdict.permission == permission);
}

void take_input(MergedVerdict& merged, std::optional<Json> input) {
  if (!input) return;
  if (merged.updated_input && *merged.updated_input != *input && merged.notices.empty()) {
    merged.notices.emplace_back(
        "Several hooks changed the input of this call in different ways; the last one counts");
  }
  merged.updated_input = std::move(input);
}

}  // namespace

MergedVerdict merged(std::vector<HookVerdict> verdicts) {
  std::erase_if(verdicts, [](const HookVerdict& verdict) {
    return verdict.outcome == HookOutcome::broken || verdict.outcome == HookOutcome::cancelled;
  });
  MergedVerdict merged;
  merged.permission = strictest(verdicts);
  const bool denied = merged.permission == PermissionDecision::deny;
  for (HookVerdict& verdict : verdicts) {
    merged.block = merged.block || verdict.block;
    if (reason_counts(verdict, merged.permission)) add_line(merged.reason, verdict.reason);
    merged.stop = merged.stop || verdict.stop;
    if (verdict.stop) add_line(merged.stop_reason, verdict.stop_reason);
    if (!denied) take_input(merged, std::move(verdict.updated_input));
    if (!verdict.context.empty()) merged.contexts.push_back(std::move(verdict.context));
    if (!verdict.system_message.empty()) {
      merged.system_messages.push_back(std::move(verdict.system_message));
    }
  }
  return merged;
}

}  // namespace agentd::hooks
