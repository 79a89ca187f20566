// What a hook is told, event by event, and what its matcher is held against.
#include "hooks/event.h"

#include <doctest/doctest.h>

#include "wire/parse.h"

using namespace agentd;
using namespace agentd::hooks;

namespace {

HookInput input(EventInput event) {
  HookInput made;
  made.session_id = "session_1";
  made.cwd = "/ws/sub";
  made.project_directory = "/ws";
  made.event = std::move(event);
  return made;
}

Json told(const HookInput& made) {
  const std::string text = stdin_text(made);
  REQUIRE(text.find('\n') == text.size() - 1);
  return wire::parse(text).value();
}

Json common(const std::string& event) {
  return {{"session_id", "session_1"},
          {"cwd", "/ws/sub"},
          {"permission_mode", "default"},
          {"hook_event_name", event}};
}

const Json kInput = {{"command", "ls"}};

}  // namespace

TEST_CASE("every event: its fields, its name and what a matcher sees") {
  struct Row {
    EventInput event;
    std::string name;
    Json fields;
    std::optional<std::string_view> matched;
  };
  const std::vector<Row> rows = {
      {SessionStartInput{SessionSource::resume, "demo"},
       "SessionStart",
       {{"source", "resume"}, {"model", "demo"}},
       "resume"},
      {SessionEndInput{SessionEndReason::other}, "SessionEnd", {{"reason", "other"}}, "other"},
      {UserPromptSubmitInput{"do it"}, "UserPromptSubmit", {{"prompt", "do it"}}, std::nullopt},
      {PreToolUseInput{"Bash", kInput, "toolu_1"},
       "PreToolUse",
       {{"tool_name", "Bash"}, {"tool_input", kInput}, {"tool_use_id", "toolu_1"}},
       "Bash"},
      {PermissionRequestInput{"Bash", kInput},
       "PermissionRequest",
       {{"tool_name", "Bash"}, {"tool_input", kInput}},
       "Bash"},
      {PostToolUseInput{"Bash", kInput, {{"stdout", "a"}}, "toolu_1", 12},
       "PostToolUse",
       {{"tool_name", "Bash"},
        {"tool_input", kInput},
        {"tool_use_id", "toolu_1"},
        {"tool_response", {{"stdout", "a"}}},
        {"duration_ms", 12}},
       "Bash"},
      {PostToolUseFailureInput{"Bash", kInput, "toolu_1", "Exit code 1", true, {}},
       "PostToolUseFailure",
       {{"tool_name", "Bash"},
        {"tool_input", kInput},
        {"tool_use_id", "toolu_1"},
        {"error", "Exit code 1"},
        {"is_interrupt", true}},
       "Bash"},
      {PostToolBatchInput{{{"Bash", kInput, "toolu_1", "text"}}},
       "PostToolBatch",
       {{"tool_calls", Json::array({{{"tool_name", "Bash"},
                                     {"tool_input", kInput},
                                     {"tool_use_id", "toolu_1"},
                                     {"tool_response", "text"}}})}},
       std::nullopt},
      {PreCompactInput{CompactTrigger::automatic, ""},
       "PreCompact",
       {{"trigger", "auto"}, {"custom_instructions", ""}},
       "auto"},
      {StopInput{true, "Done."},
       "Stop",
       {{"stop_hook_active", true}, {"last_assistant_message", "Done."}},
       std::nullopt},
  };
  REQUIRE(rows.size() == wire_names(Event{}).list.size());
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const HookInput made = input(row.event);
    Json expected = common(row.name);
    expected.update(row.fields);
    CHECK(told(made) == expected);
    CHECK(parse_event(row.name) == event_of(made));
    CHECK(matched_text(made) == row.matched);
  }
}

TEST_CASE("an event has matchers where it has a text to match") {
  const std::vector<EventInput> inputs = {
      SessionStartInput{},      SessionEndInput{},  UserPromptSubmitInput{},   PreToolUseInput{},
      PermissionRequestInput{}, PostToolUseInput{}, PostToolUseFailureInput{}, PostToolBatchInput{},
      PreCompactInput{},        StopInput{},
  };
  REQUIRE(inputs.size() == wire_names(Event{}).list.size());
  for (const EventInput& event : inputs) {
    HookInput input;
    input.event = event;
    CAPTURE(to_string(event_of(input)));
    CHECK(matched_text(input).has_value() == has_matchers(event_of(input)));
  }
}

TEST_CASE("transcript and prompt are named if there are any") {
  HookInput made = input(StopInput{});
  made.transcript_path = "/t.jsonl";
  made.prompt_id = "run_1";
  CHECK(told(made).at("transcript_path") == "/t.jsonl");
  CHECK(told(made).at("prompt_id") == "run_1");
}

TEST_CASE("modes go by their names in Claude Code") {
  using Mode = config::PermissionMode;
  const std::vector<std::pair<Mode, std::string>> rows = {{Mode::plan, "plan"},
                                                          {Mode::ask, "default"},
                                                          {Mode::accept_edits, "acceptEdits"},
                                                          {Mode::bypass, "bypassPermissions"}};
  for (const auto& [mode, name] : rows) {
    HookInput made = input(StopInput{});
    made.permission_mode = mode;
    CHECK(told(made).at("permission_mode") == name);
  }
}

TEST_CASE("text that is not UTF-8 still makes JSON") {
  CHECK(told(input(UserPromptSubmitInput{"a\xFF"})).at("prompt") == "a\xEF\xBF\xBD");
}

TEST_CASE("names of events are exact") {
  CHECK_FALSE(parse_event("preToolUse"));
  CHECK_FALSE(parse_event(""));
  CHECK_FALSE(parse_event("SubagentStop"));
}
