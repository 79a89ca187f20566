// The events at which hooks run and what a hook is told of each, as one JSON object on its standard
// input, with the field names of Claude Code. Values and pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings_file.h"
#include "wire/description.h"

namespace agentd::hooks {

using wire::Json;

enum class Event {
  session_start,
  session_end,
  user_prompt_submit,
  pre_tool_use,
  permission_request,
  post_tool_use,
  post_tool_use_failure,
  post_tool_batch,
  pre_compact,
  stop,
};

constexpr auto wire_names(Event) {
  using enum Event;
  return wire::names<Event>("", {{session_start, "SessionStart"},
                                 {session_end, "SessionEnd"},
                                 {user_prompt_submit, "UserPromptSubmit"},
                                 {pre_tool_use, "PreToolUse"},
                                 {permission_request, "PermissionRequest"},
                                 {post_tool_use, "PostToolUse"},
                                 {post_tool_use_failure, "PostToolUseFailure"},
                                 {post_tool_batch, "PostToolBatch"},
                                 {pre_compact, "PreCompact"},
                                 {stop, "Stop"}});
}

/// "PreToolUse".
std::string_view to_string(Event event);
/// Names are exact.
std::optional<Event> parse_event(std::string_view name);

enum class SessionSource { startup, resume, clear, compact, fork };

constexpr auto wire_names(SessionSource) {
  using enum SessionSource;
  return wire::names<SessionSource>("", {{startup, "startup"},
                                         {resume, "resume"},
                                         {clear, "clear"},
                                         {compact, "compact"},
                                         {fork, "fork"}});
}

enum class SessionEndReason { clear, resume, logout, prompt_input_exit, other };

constexpr auto wire_names(SessionEndReason) {
  using enum SessionEndReason;
  return wire::names<SessionEndReason>("", {{clear, "clear"},
                                            {resume, "resume"},
                                            {logout, "logout"},
                                            {prompt_input_exit, "prompt_input_exit"},
                                            {other, "other"}});
}

enum class CompactTrigger { manual, automatic };

constexpr auto wire_names(CompactTrigger) {
  using enum CompactTrigger;
  return wire::names<CompactTrigger>("", {{manual, "manual"}, {automatic, "auto"}});
}

struct SessionStartInput {
  static constexpr Event kEvent = Event::session_start;
  SessionSource source = SessionSource::startup;
  std::optional<std::string> model;

  static void fields(auto& field) {
    field("source", &SessionStartInput::source, "Why the session begins.");
    field("model", &SessionStartInput::model, "As in agent/start.");
  }
};

struct SessionEndInput {
  static constexpr Event kEvent = Event::session_end;
  SessionEndReason reason = SessionEndReason::other;

  static void fields(auto& field) {
    field("reason", &SessionEndInput::reason, "Why the session ends.");
  }
};

struct UserPromptSubmitInput {
  static constexpr Event kEvent = Event::user_prompt_submit;
  std::string prompt;

  static void fields(auto& field) {
    field("prompt", &UserPromptSubmitInput::prompt, "The text the user sent.");
  }
};

struct PreToolUseInput {
  static constexpr Event kEvent = Event::pre_tool_use;
  std::string tool_name;
  Json tool_input;  // an object
  std::string tool_use_id;

  static void fields(auto& field) {
    field("tool_name", &PreToolUseInput::tool_name, "The tool.");
    field("tool_input", &PreToolUseInput::tool_input, "Its input.");
    field("tool_use_id", &PreToolUseInput::tool_use_id, "The call.");
  }
};

struct PermissionRequestInput {
  static constexpr Event kEvent = Event::permission_request;
  std::string tool_name;
  Json tool_input;  // an object

  static void fields(auto& field) {
    field("tool_name", &PermissionRequestInput::tool_name, "The tool.");
    field("tool_input", &PermissionRequestInput::tool_input, "Its input.");
  }
};

struct PostToolUseInput {
  static constexpr Event kEvent = Event::post_tool_use;
  std::string tool_name;
  Json tool_input;  // an object
  Json tool_response;
  std::string tool_use_id;
  std::optional<std::int64_t> duration_ms;

  static void fields(auto& field) {
    field("tool_name", &PostToolUseInput::tool_name, "The tool.");
    field("tool_input", &PostToolUseInput::tool_input, "Its input.");
    field("tool_response", &PostToolUseInput::tool_response, "What it gave back.");
    field("tool_use_id", &PostToolUseInput::tool_use_id, "The call.");
    field("duration_ms", &PostToolUseInput::duration_ms, "How long it ran.");
  }
};

struct PostToolUseFailureInput {
  static constexpr Event kEvent = Event::post_tool_use_failure;
  std::string tool_name;
  Json tool_input;  // an object
  std::string tool_use_id;
  std::string error;
  bool is_interrupt = false;
  std::optional<std::int64_t> duration_ms;

  static void fields(auto& field) {
    field("tool_name", &PostToolUseFailureInput::tool_name, "The tool.");
    field("tool_input", &PostToolUseFailureInput::tool_input, "Its input.");
    field("tool_use_id", &PostToolUseFailureInput::tool_use_id, "The call.");
    field("error", &PostToolUseFailureInput::error, "What the model is told.");
    field("is_interrupt", &PostToolUseFailureInput::is_interrupt, "A cancel ended it.");
    field("duration_ms", &PostToolUseFailureInput::duration_ms, "How long it ran.");
  }
};

/// One call of a settled batch.
struct BatchCall {
  std::string tool_name;
  Json tool_input;  // an object
  std::string tool_use_id;
  Json tool_response;

  static void fields(auto& field) {
    field("tool_name", &BatchCall::tool_name, "The tool.");
    field("tool_input", &BatchCall::tool_input, "Its input.");
    field("tool_use_id", &BatchCall::tool_use_id, "The call.");
    field("tool_response", &BatchCall::tool_response, "What it gave back.");
  }
};

struct PostToolBatchInput {
  static constexpr Event kEvent = Event::post_tool_batch;
  std::vector<BatchCall> tool_calls;  // in block order

  static void fields(auto& field) {
    field("tool_calls", &PostToolBatchInput::tool_calls, "The calls of one reply.");
  }
};

struct PreCompactInput {
  static constexpr Event kEvent = Event::pre_compact;
  CompactTrigger trigger = CompactTrigger::automatic;
  std::string custom_instructions;  // of the user, for the summary; empty: none

  static void fields(auto& field) {
    field("trigger", &PreCompactInput::trigger, "Who wants it.");
    field("custom_instructions", &PreCompactInput::custom_instructions, "For the summary.");
  }
};

struct StopInput {
  static constexpr Event kEvent = Event::stop;
  bool stop_hook_active = false;  // this run goes on because a Stop hook objected before
  std::optional<std::string> last_assistant_message;

  static void fields(auto& field) {
    field("stop_hook_active", &StopInput::stop_hook_active, "A Stop hook objected before.");
    field("last_assistant_message", &StopInput::last_assistant_message, "The final text.");
  }
};

using EventInput =
    std::variant<SessionStartInput, SessionEndInput, UserPromptSubmitInput, PreToolUseInput,
                 PermissionRequestInput, PostToolUseInput, PostToolUseFailureInput,
                 PostToolBatchInput, PreCompactInput, StopInput>;

struct HookInput {
  std::string session_id;
  std::optional<std::string> prompt_id;  // the run that one prompt of the user began
  std::optional<std::string> transcript_path;
  std::string cwd;                // absolute; the hooks run there
  std::string project_directory;  // absolute, the workspace; CLAUDE_PROJECT_DIR, not in the JSON
  config::PermissionMode permission_mode = config::PermissionMode::ask;
  EventInput event;
};

Event event_of(const HookInput& input);

/// False: the event has nothing to match, so that a matcher, whatever it says, means nothing there.
bool has_matchers(Event event);

/// What a matcher of this event is held against: the tool's name, the session's source, the reason
/// of its end, the compaction's trigger. Nullopt for an event without has_matchers(). The view
/// lives as long as `input`.
std::optional<std::string_view> matched_text(const HookInput& input);

/// The JSON object on a hook's standard input, one line with its end. Modes go by their names in
/// Claude Code: `default`, `acceptEdits`, `plan`, `bypassPermissions`.
std::string stdin_text(const HookInput& input);

}  // namespace agentd::hooks
