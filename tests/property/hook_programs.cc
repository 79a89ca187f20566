#include "property/hook_programs.h"

#include <array>
#include <string>

namespace agentd::test {
namespace {

constexpr std::array kEvents = {"SessionStart",  "SessionEnd",  "UserPromptSubmit",
                                "PreToolUse",    "PreToolUse",  "PermissionRequest",
                                "PostToolUse",   "PostToolUse", "PostToolUseFailure",
                                "PostToolBatch", "PreCompact",  "Stop",
                                "Stop"};

// EVENT stands for the event's name. Those that would stop every run stand behind a condition.
constexpr std::array kCommands = {
    "true",
    "echo some words; echo and complaints >&2",
    "cat >/dev/null; echo '{\"systemMessage\":\"for the user\"}'",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"know this"}}')",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow"}}')",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"ask"}}')",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny"}}')",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"file_path":"a.txt","command":"echo changed"}}}')",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"allow"}}}')",
    R"(echo '{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","interrupt":true}}}')",
    R"(echo '{"decision":"block","reason":"not like this"}')",
    "if grep -q Bash; then echo no commands >&2; exit 2; fi",
    "echo no >&2; exit $((RANDOM % 2 * 2))",
    R"(if [ $((RANDOM % 3)) = 0 ]; then echo '{"continue":false,"stopReason":"enough"}'; fi)",
    "exit 1",
    "/no/such/program",
    "kill -9 $$",
    "head -c 17000000 /dev/zero",
    "sleep 60",
    "sleep 60 & echo started",
    "echo '{\"continue\": fal'",
    "exec 0<&-; exec 1>&-; true"};

}  // namespace

Json random_hook_settings(RandomMind& choice) {
  Json settings = Json::object();
  for (int count = 2 + choice.below(6); count > 0; --count) {
    const std::string event = kEvents[static_cast<std::size_t>(choice.below(kEvents.size()))];
    std::string command = kCommands[static_cast<std::size_t>(choice.below(kCommands.size()))];
    if (const auto at = command.find("EVENT"); at != std::string::npos) {
      command.replace(at, 5, event);
    }
    // What hangs is killed after this; nothing else takes that long, whatever the machine does.
    const Json hook = {{"type", "command"},
                       {"command", command},
                       {"timeout", command == "sleep 60" ? 0.05 : 60.0}};
    settings[event].push_back({{"hooks", {hook}}});
  }
  return settings;
}

}  // namespace agentd::test
