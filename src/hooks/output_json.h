// The JSON object that a hook may write to its standard output, as declared. What of it means
// anything at which event is for output.cc to judge. Values, any thread.
#pragma once

#include <optional>
#include <string>

#include "hooks/event.h"

namespace agentd::hooks {

/// The older way to decide, at the top of the object.
enum class TopDecision { approve, block };

constexpr auto wire_names(TopDecision) {
  return wire::names<TopDecision>(
      "", {{TopDecision::approve, "approve"}, {TopDecision::block, "block"}});
}

/// `defer` holds a call for whoever embeds the engine; we have no such place, so a person is asked.
enum class SaidPermission { allow, deny, ask, defer };

constexpr auto wire_names(SaidPermission) {
  using enum SaidPermission;
  return wire::names<SaidPermission>(
      "", {{allow, "allow"}, {deny, "deny"}, {ask, "ask"}, {defer, "defer"}});
}

enum class Behavior { allow, deny };

constexpr auto wire_names(Behavior) {
  return wire::names<Behavior>("", {{Behavior::allow, "allow"}, {Behavior::deny, "deny"}});
}

/// The answer to a PermissionRequest.
struct RequestDecision {
  Behavior behavior = Behavior::deny;
  std::optional<Json> updated_input;
  std::optional<std::string> message;
  std::optional<bool> interrupt;

  static void fields(auto& field) {
    field("behavior", &RequestDecision::behavior, "The answer.");
    field("updatedInput", &RequestDecision::updated_input, "With allow: the input to run with.",
          {.object = true});
    field("message", &RequestDecision::message, "With deny: why.");
    field("interrupt", &RequestDecision::interrupt, "With deny: the run stops.");
  }
};

struct SpecificOutput {
  Event hook_event_name = Event::stop;
  std::optional<SaidPermission> permission_decision;
  std::optional<std::string> permission_decision_reason;
  std::optional<Json> updated_input;
  std::optional<std::string> additional_context;
  std::optional<RequestDecision> decision;

  static void fields(auto& field) {
    field("hookEventName", &SpecificOutput::hook_event_name, "The event it answers.");
    field("permissionDecision", &SpecificOutput::permission_decision, "PreToolUse.");
    field("permissionDecisionReason", &SpecificOutput::permission_decision_reason, "PreToolUse.");
    field("updatedInput", &SpecificOutput::updated_input, "PreToolUse: the whole input.",
          {.object = true});
    field("additionalContext", &SpecificOutput::additional_context, "For the model.");
    field("decision", &SpecificOutput::decision, "PermissionRequest.");
  }
};

struct HookJson {
  std::optional<bool> go_on;
  std::optional<std::string> stop_reason;
  std::optional<bool> suppress_output;
  std::optional<std::string> system_message;
  std::optional<TopDecision> decision;
  std::optional<std::string> reason;
  std::optional<SpecificOutput> specific;

  static void fields(auto& field) {
    field("continue", &HookJson::go_on, "false: everything stops.");
    field("stopReason", &HookJson::stop_reason, "For the user.");
    field("suppressOutput", &HookJson::suppress_output, "The output is not shown.");
    field("systemMessage", &HookJson::system_message, "For the user.");
    field("decision", &HookJson::decision, "An objection, or consent at PreToolUse.");
    field("reason", &HookJson::reason, "Of the decision.");
    field("hookSpecificOutput", &HookJson::specific, "What only this event knows.");
  }
};

}  // namespace agentd::hooks
