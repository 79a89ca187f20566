#include "hooks/hook_set.h"

#include <algorithm>

namespace agentd::hooks {

using namespace std::chrono_literals;

std::chrono::milliseconds default_timeout(Event event) {
  switch (event) {
    case Event::session_end:
      return 1500ms;  // the user is leaving
    case Event::user_prompt_submit:
      return 30s;  // the user is waiting
    case Event::session_start:
    case Event::pre_tool_use:
    case Event::permission_request:
    case Event::post_tool_use:
    case Event::post_tool_use_failure:
    case Event::post_tool_batch:
    case Event::pre_compact:
    case Event::stop:
      return 60s;
  }
  return 60s;
}

bool has_hooks(const HookSet& set, Event event) {
  return std::any_of(set.hooks.begin(), set.hooks.end(),
                     [event](const Hook& hook) { return hook.event == event; });
}

std::vector<const Hook*> matching(const HookSet& set, const HookInput& input) {
  const Event event = event_of(input);
  const std::optional<std::string_view> text = matched_text(input);
  std::vector<const Hook*> found;
  for (const Hook& hook : set.hooks) {
    if (hook.event != event || (text && !hook.matcher.matches(*text))) continue;
    const bool runs_already = std::any_of(found.begin(), found.end(), [&hook](const Hook* other) {
      return other->command == hook.command && other->args == hook.args;
    });
    if (!runs_already) found.push_back(&hook);
  }
  return found;
}

}  // namespace agentd::hooks
