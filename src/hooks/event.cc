#include "hooks/event.h"

#include "wire/encode.h"

namespace agentd::hooks {
namespace {

std::string_view claude_name(config::PermissionMode mode) {
  switch (mode) {
    case config::PermissionMode::plan:
      return "plan";
    case config::PermissionMode::ask:
      return "default";
    case config::PermissionMode::accept_edits:
      return "acceptEdits";
    case config::PermissionMode::bypass:
      return "bypassPermissions";
  }
  return {};
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  wire::append_key(out, key);
  wire::append_string(out, text);
}

}  // namespace

std::string_view to_string(Event event) {
  return wire::name_of(event);
}

std::optional<Event> parse_event(std::string_view name) {
  for (const auto& each : wire_names(Event{}).list) {
    if (each.text == name) return each.value;
  }
  return std::nullopt;
}

Event event_of(const HookInput& input) {
  return std::visit([](const auto& event) { return event.kEvent; }, input.event);
}

bool has_matchers(Event event) {
  switch (event) {
    case Event::session_start:
    case Event::session_end:
    case Event::pre_tool_use:
    case Event::permission_request:
    case Event::post_tool_use:
    case Event::post_tool_use_failure:
    case Event::pre_compact:
      return true;
    case Event::user_prompt_submit:
    case Event::post_tool_batch:
    case Event::stop:
      return false;
  }
  return true;
}

std::optional<std::string_view> matched_text(const HookInput& input) {
  return std::visit(
      [](const auto& event) -> std::optional<std::string_view> {
        if constexpr (requires { event.tool_name; }) {
          return event.tool_name;
        } else if constexpr (requires { event.source; }) {
          return wire::name_of(event.source);
        } else if constexpr (requires { event.reason; }) {
          return wire::name_of(event.reason);
        } else if constexpr (requires { event.trigger; }) {
          return wire::name_of(event.trigger);
        } else {
          return std::nullopt;
        }
      },
      input.event);
}

std::string stdin_text(const HookInput& input) {
  std::string out = "{";
  append_text(out, "session_id", input.session_id);
  if (input.prompt_id) append_text(out, "prompt_id", *input.prompt_id);
  if (input.transcript_path) append_text(out, "transcript_path", *input.transcript_path);
  append_text(out, "cwd", input.cwd);
  append_text(out, "permission_mode", claude_name(input.permission_mode));
  append_text(out, "hook_event_name", to_string(event_of(input)));
  std::visit([&out](const auto& event) { wire::append_members(out, event); }, input.event);
  out += "}\n";
  return out;
}

}  // namespace agentd::hooks
