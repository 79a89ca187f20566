// What one hook said: its exit code and output made into a verdict, or found broken. Pure, any
// thread.
//
//   exit 0   a JSON object on standard output decides; other text is context for the model at
//            SessionStart and UserPromptSubmit, and is only shown elsewhere
//   exit 2   blocks, with standard error as the reason, whatever standard output holds: JSON that
//            allows, half of it, a megabyte, bytes that are no text
//   else     broken: it could not be started, was killed (also for writing without end), timed out,
//            failed, or gave JSON that is malformed, too long, of wrong types or for another event.
//            Told, and never a decision
//
// Bytes that are not UTF-8 become U+FFFD before the JSON is read, as Claude Code has it: a guard
// quotes what the model wrote, and must not lose its no over a letter in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hooks/event.h"
#include "hooks/permission_decision.h"
#include "platform/commands.h"

namespace agentd::hooks {

/// Of each text that goes to the model; more is left out, and the text says how much.
inline constexpr std::size_t kMaxModelCharacters = 10'000;

/// Of a stream that is looked at; more than this of JSON is broken.
inline constexpr std::uint64_t kMaxOutputBytes = 1024 * 1024;

/// What an objection (exit 2 or `decision: "block"`) does at an event.
enum class BlockEffect {
  nothing,             // SessionStart, SessionEnd, PermissionRequest: cannot; such a hook is broken
  denies_call,         // PreToolUse: `permission` is deny
  erases_prompt,       // UserPromptSubmit: the prompt never reaches the model
  tells_model,         // PostToolUse, PostToolUseFailure: it has run; the model reads the reason
  stops_run,           // PostToolBatch: before the next model call
  forbids_compaction,  // PreCompact
  goes_on,             // Stop: the run goes on, with the reason for the model
};

BlockEffect block_effect(Event event);

/// Is there a model to read the `additionalContext` of this event?
bool takes_context(Event event);

enum class HookOutcome {
  success,    // exit 0, and no objection
  blocked,    // it objects
  broken,     // decides nothing
  cancelled,  // killed because the run was; decides nothing
};

struct HookVerdict {
  HookOutcome outcome = HookOutcome::success;

  bool block = false;  // at every event but PreToolUse and PermissionRequest
  std::string reason;  // of the block or of `permission`; not empty if it blocks or denies

  std::optional<PermissionDecision> permission;  // PreToolUse, PermissionRequest (never ask)
  std::optional<Json> updated_input;             // an object, not yet checked against the schema

  bool stop = false;        // `continue: false`, or a PermissionRequest's `interrupt`
  std::string stop_reason;  // for the user only

  std::string context;         // for the model; may be empty
  std::string system_message;  // for the user
  std::string shown;           // for the user: plain output, or what is broken

  std::vector<std::string> ignored;  // members of its JSON that mean nothing here, by path
};

/// `end.standard_output` and `end.standard_error` are cut at kMaxOutputBytes at the latest.
HookVerdict read_verdict(Event event, const platform::CommandEnd& end);

/// A verdict that decides nothing. `fault` follows the hook's name: "timed out after 60 s".
HookVerdict broken(std::string fault);

}  // namespace agentd::hooks
