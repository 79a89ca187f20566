// Exit codes and outputs to verdicts: what decides, and what is broken and decides nothing.
#include "hooks/output.h"

#include <doctest/doctest.h>

#include <csignal>

using namespace agentd;
using namespace agentd::hooks;
using namespace std::chrono_literals;
using How = platform::CommandEnd::How;

namespace {

platform::CommandEnd exit_with(int code, const std::string& output,
                               const std::string& errors = "") {
  platform::CommandEnd end;
  end.exit_code = code;
  end.standard_output.head = output;
  end.standard_output.total_bytes = output.size();
  end.standard_error.head = errors;
  end.standard_error.total_bytes = errors.size();
  return end;
}

HookVerdict said(Event event, const std::string& output) {
  return read_verdict(event, exit_with(0, output));
}

// The JSON of one hookSpecificOutput for its event.
std::string specific(Event event, const std::string& members) {
  return R"({"hookSpecificOutput": {"hookEventName": ")" + std::string(to_string(event)) + "\"" +
         (members.empty() ? "" : ", ") + members + "}}";
}

bool decides_nothing(const HookVerdict& verdict) {
  return !verdict.block && !verdict.permission && !verdict.updated_input && !verdict.stop &&
         verdict.context.empty() && verdict.reason.empty() && verdict.system_message.empty();
}

const auto kAllow = PermissionDecision::allow;
const auto kAsk = PermissionDecision::ask;
const auto kDeny = PermissionDecision::deny;

}  // namespace

TEST_CASE("exit 0 and plain text: context where a session or prompt begins, shown elsewhere") {
  for (const auto& name : wire_names(Event{}).list) {
    CAPTURE(name.text);
    const bool context =
        name.value == Event::session_start || name.value == Event::user_prompt_submit;
    const HookVerdict verdict = said(name.value, " some\ntext \n");
    CHECK(verdict.outcome == HookOutcome::success);
    CHECK(verdict.context == (context ? "some\ntext" : ""));
    CHECK(verdict.shown == (context ? "" : "some\ntext"));
    CHECK_FALSE(verdict.block);
    CHECK_FALSE(verdict.permission);
    CHECK_FALSE(verdict.stop);
    CHECK(decides_nothing(said(name.value, " \n")));
    CHECK(said(name.value, "").outcome == HookOutcome::success);
  }
}

TEST_CASE("text that is JSON but no object is text") {
  CHECK(said(Event::session_start, "[1]").context == "[1]");
  CHECK(said(Event::session_start, "\"block\"").context == "\"block\"");
  CHECK(said(Event::session_start, "note {\"continue\": false}").stop == false);
}

TEST_CASE("exit 2: what an objection does at each event") {
  struct Row {
    Event event;
    BlockEffect effect;
    HookOutcome outcome;
    bool block;
    std::optional<PermissionDecision> permission;
  };
  const auto blocked = HookOutcome::blocked;
  const auto broke = HookOutcome::broken;
  const std::vector<Row> rows = {
      {Event::session_start, BlockEffect::nothing, broke, false, {}},
      {Event::session_end, BlockEffect::nothing, broke, false, {}},
      {Event::permission_request, BlockEffect::nothing, broke, false, {}},
      {Event::pre_tool_use, BlockEffect::denies_call, blocked, false, kDeny},
      {Event::user_prompt_submit, BlockEffect::erases_prompt, blocked, true, {}},
      {Event::post_tool_use, BlockEffect::tells_model, blocked, true, {}},
      {Event::post_tool_use_failure, BlockEffect::tells_model, blocked, true, {}},
      {Event::post_tool_batch, BlockEffect::stops_run, blocked, true, {}},
      {Event::pre_compact, BlockEffect::forbids_compaction, blocked, true, {}},
      {Event::stop, BlockEffect::goes_on, blocked, true, {}},
  };
  REQUIRE(rows.size() == wire_names(Event{}).list.size());
  for (const Row& row : rows) {
    CAPTURE(to_string(row.event));
    CHECK(block_effect(row.event) == row.effect);
    // Standard output does not count, JSON or not.
    const auto verdict = read_verdict(
        row.event, exit_with(2, R"({"continue": false, "systemMessage": "x"})", " not so \n"));
    CHECK(verdict.outcome == row.outcome);
    CHECK(verdict.block == row.block);
    CHECK(verdict.permission == row.permission);
    CHECK_FALSE(verdict.stop);
    CHECK(verdict.system_message.empty());
    CHECK(verdict.reason == (row.outcome == blocked ? "not so" : ""));
    if (row.outcome == broke) {
      CHECK(verdict.shown.find(to_string(row.event)) != std::string::npos);
      CHECK(verdict.shown.find("not so") != std::string::npos);
    }
    // The same by JSON.
    const auto by_json = said(row.event, R"({"decision": "block", "reason": "not so"})");
    CHECK(by_json.outcome == row.outcome);
    CHECK(by_json.block == row.block);
    CHECK(by_json.permission == row.permission);
    CHECK(by_json.reason == (row.outcome == blocked ? "not so" : ""));
  }
}

TEST_CASE("an objection always has a reason") {
  CHECK_FALSE(read_verdict(Event::stop, exit_with(2, "", "")).reason.empty());
  CHECK_FALSE(said(Event::stop, R"({"decision": "block"})").reason.empty());
  CHECK_FALSE(
      said(Event::pre_tool_use, specific(Event::pre_tool_use, R"("permissionDecision": "deny")"))
          .reason.empty());
}

TEST_CASE("broken is told and decides nothing") {
  struct Row {
    platform::CommandEnd end;
    std::string fault;
  };
  const auto ended = [](How how, int signal = 0) {
    platform::CommandEnd end = exit_with(0, R"({"decision": "block", "reason": "x"})", "x");
    end.how = how;
    end.signal = signal;
    end.duration = 1530ms;
    return end;
  };
  const std::vector<Row> rows = {
      {exit_with(1, "{\"continue\": false}", "oops\n"), "failed with exit code 1: oops"},
      {exit_with(3, "", ""), "failed with exit code 3"},
      {exit_with(126, "", "bash: x: Permission denied"), "could not be executed (exit code 126): "},
      {exit_with(127, "", "bash: x: command not found"), "was not found (exit code 127): bash: x"},
      {exit_with(255, "", "a\xFF"), "failed with exit code 255: a\xEF\xBF\xBD"},
      {ended(How::signalled, SIGKILL), "was killed by signal 9 (SIGKILL)"},
      {ended(How::timed_out), "timed out after 1.5 s and was killed"},
      {ended(How::too_much_output), "wrote without end and was killed"},
  };
  for (const Row& row : rows) {
    for (const auto& name : wire_names(Event{}).list) {
      CAPTURE(row.fault);
      const HookVerdict verdict = read_verdict(name.value, row.end);
      CHECK(verdict.outcome == HookOutcome::broken);
      CHECK(verdict.shown.starts_with(row.fault));
      CHECK(decides_nothing(verdict));
    }
  }
}

TEST_CASE("exit 2 is an objection whatever is said with it, as that may be the model's own words") {
  for (const char* text :
       {"bash: -c: line 2: syntax error: unexpected end of file\n",
        "Blocked: touch x # : can't open file 'x'\n",
        "python3: can't open file '/gone/guard.py': [Errno 2] No such file or directory\n"}) {
    CAPTURE(text);
    const auto verdict = read_verdict(Event::pre_tool_use, exit_with(2, "", text));
    CHECK(verdict.outcome == HookOutcome::blocked);
    CHECK(verdict.permission == kDeny);
  }
}

TEST_CASE("exit 2 is an objection whatever standard output holds") {
  platform::CommandEnd flood = exit_with(2, std::string(kMaxOutputBytes, 'x'), "no");
  flood.standard_output.skipped_bytes = 5'000'000;
  const std::vector<platform::CommandEnd> ends = {
      exit_with(2, specific(Event::pre_tool_use, R"("permissionDecision": "allow")"), "no"),
      exit_with(2, R"({"decision": "appr)", "no"),
      exit_with(2, "{\xFF\xFE}", "no"),
      exit_with(2, std::string("{\0}", 3), "no"),
      exit_with(2, R"({"hookSpecificOutput": {"hookEventName": "Stop"}})", "no"),
      flood,
  };
  for (const auto& end : ends) {
    const HookVerdict verdict = read_verdict(Event::pre_tool_use, end);
    CHECK(verdict.outcome == HookOutcome::blocked);
    CHECK(verdict.permission == kDeny);
    CHECK(verdict.reason == "no");
    CHECK(read_verdict(Event::user_prompt_submit, end).block);
  }
}

TEST_CASE("a decision stands though its words are not UTF-8, as Claude Code has it") {
  const HookVerdict verdict =
      said(Event::pre_tool_use, specific(Event::pre_tool_use,
                                         "\"permissionDecision\": \"deny\", "
                                         "\"permissionDecisionReason\": \"caf\xE9\""));
  CHECK(verdict.outcome == HookOutcome::blocked);
  CHECK(verdict.permission == kDeny);
  CHECK(verdict.reason == "caf\xEF\xBF\xBD");
}

TEST_CASE("members that mean nothing here are named, and the rest counts") {
  struct Row {
    Event event;
    std::string output;
    std::vector<std::string> ignored;
  };
  const auto pre = Event::pre_tool_use;
  const auto request = Event::permission_request;
  const std::vector<Row> rows = {
      {pre, specific(pre, R"("permissionDecision": "allow")"), {}},
      {pre, R"({"continue": true, "suppressOutput": true, "systemMessage": "x"})", {}},
      {pre, R"({"async": true, "terminalSequence": null})", {"async"}},
      {pre,
       specific(pre, R"("permissonDecision": "deny")"),
       {"hookSpecificOutput.permissonDecision"}},
      {request,
       specific(request, R"("decision": {"behavior": "allow", "updatedPermissions": [{}]})"),
       {"hookSpecificOutput.decision.updatedPermissions"}},
      {request,
       specific(request, R"("additionalContext": "x")"),
       {"hookSpecificOutput.additionalContext"}},
      {Event::post_tool_use,
       specific(Event::post_tool_use, R"("updatedToolOutput": "x")"),
       {"hookSpecificOutput.updatedToolOutput"}},
      {Event::stop, R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1})", {"a", "b", "c", "d", "e"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.output);
    const HookVerdict verdict = said(row.event, row.output);
    CHECK(verdict.outcome == HookOutcome::success);
    CHECK(verdict.ignored == row.ignored);
  }
}

TEST_CASE("cancelled is neither") {
  platform::CommandEnd end = exit_with(0, R"({"decision": "block"})");
  end.how = How::cancelled;
  const HookVerdict verdict = read_verdict(Event::stop, end);
  CHECK(verdict.outcome == HookOutcome::cancelled);
  CHECK(decides_nothing(verdict));
}

TEST_CASE("JSON that is malformed or of the wrong shape is broken, wherever it stands") {
  struct Row {
    Event event;
    std::string output;
    std::string fault;
  };
  const auto pre = Event::pre_tool_use;
  const std::vector<Row> rows = {
      {pre, "{", "gave malformed JSON: "},
      {pre, R"({"decision": "block"} and more)", "gave malformed JSON: "},
      {pre, "{\"decision\": \"block\", \xFF}", "gave malformed JSON: "},
      {pre, "  \n{'decision': 'block'}", "gave malformed JSON: "},
      {pre, R"({"continue": "false"})", "gave JSON of the wrong shape: continue: expected"},
      {pre, R"({"continue": 0})", "gave JSON of the wrong shape: continue: expected"},
      {pre, R"({"decision": "deny"})", "gave JSON of the wrong shape: decision: expected"},
      {pre, R"({"decision": {"behavior": "deny"}})", "gave JSON of the wrong shape: decision: "},
      {pre, R"({"decision": "block", "reason": 5})", "gave JSON of the wrong shape: reason: "},
      {pre, R"({"suppressOutput": 1})", "gave JSON of the wrong shape: suppressOutput: "},
      {pre, R"({"hookSpecificOutput": "deny"})", "gave JSON of the wrong shape: hookSpecificOutp"},
      {pre, R"({"hookSpecificOutput": {"permissionDecision": "deny"}})",
       "gave JSON of the wrong shape: hookSpecificOutput.hookEventName: missing"},
      {pre, R"({"hookSpecificOutput": {"hookEventName": "SubagentStop"}})",
       "gave JSON of the wrong shape: hookSpecificOutput.hookEventName: expected"},
      {pre, specific(Event::post_tool_use, R"("additionalContext": "x")"),
       "answered for PostToolUse (hookEventName), but the event is PreToolUse"},
      {pre, specific(pre, R"("permissionDecision": "block")"),
       "gave JSON of the wrong shape: hookSpecificOutput.permissionDecision: "},
      {pre, specific(pre, R"("permissionDecision": "allow", "updatedInput": "ls")"),
       "gave JSON of the wrong shape: hookSpecificOutput.updatedInput: "},
      {pre, specific(pre, R"("decision": {"behavior": "deny"})"),
       "gave hookSpecificOutput.decision, which PreToolUse does not have"},
      {Event::post_tool_use, specific(Event::post_tool_use, R"("permissionDecision": "deny")"),
       "gave hookSpecificOutput.permissionDecision, which PostToolUse does not have"},
      {Event::post_tool_use, specific(Event::post_tool_use, R"("updatedInput": {})"),
       "gave hookSpecificOutput.updatedInput, which PostToolUse does not have"},
      {Event::permission_request,
       specific(Event::permission_request, R"("decision": {"message": "x"})"),
       "gave JSON of the wrong shape: hookSpecificOutput.decision.behavior: missing"},
      {Event::permission_request,
       specific(Event::permission_request, R"("decision": {"behavior": "ask"})"),
       "gave JSON of the wrong shape: hookSpecificOutput.decision.behavior: expected"},
      {Event::session_start, R"({"decision": "block"})",
       "objects, which a hook of SessionStart cannot"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.output);
    const HookVerdict verdict = said(row.event, row.output);
    CHECK(verdict.outcome == HookOutcome::broken);
    CHECK_MESSAGE(verdict.shown.starts_with(row.fault), verdict.shown);
    CHECK(decides_nothing(verdict));
  }
}

TEST_CASE("JSON nested beyond reason and JSON that was cut are broken") {
  CHECK(said(Event::stop, R"({"a":)" + std::string(100'000, '[')).outcome == HookOutcome::broken);
  platform::CommandEnd end = exit_with(0, "{\"decision\": \"block\"}");
  end.standard_output.skipped_bytes = 5;
  const HookVerdict verdict = read_verdict(Event::stop, end);
  CHECK(verdict.outcome == HookOutcome::broken);
  CHECK(decides_nothing(verdict));
}

TEST_CASE("PreToolUse: the decisions and their reasons") {
  struct Row {
    std::string output;
    std::optional<PermissionDecision> permission;
    std::string reason;
    HookOutcome outcome = HookOutcome::success;
  };
  const auto pre = [](const std::string& members) {
    return specific(Event::pre_tool_use, members);
  };
  const std::vector<Row> rows = {
      {"{}", {}, ""},
      {pre(""), {}, ""},
      {pre(R"("permissionDecision": null)"), {}, ""},
      {pre(R"("permissionDecision": "allow", "permissionDecisionReason": "r")"), kAllow, "r"},
      {pre(R"("permissionDecision": "ask", "permissionDecisionReason": "r")"), kAsk, "r"},
      {pre(R"("permissionDecision": "defer")"), kAsk, ""},
      {pre(R"("permissionDecision": "deny", "permissionDecisionReason": "r")"), kDeny, "r",
       HookOutcome::blocked},
      {R"({"decision": "approve", "reason": "r"})", kAllow, "r"},
      {R"({"decision": "block", "reason": "r"})", kDeny, "r", HookOutcome::blocked},
      // Said in both ways: the stricter.
      {R"({"decision": "approve", "reason": "a", "hookSpecificOutput": {"hookEventName":
          "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "b"}})",
       kDeny, "b", HookOutcome::blocked},
      {R"({"decision": "block", "reason": "a", "hookSpecificOutput": {"hookEventName":
          "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "b"}})",
       kDeny, "a", HookOutcome::blocked},
  };
  for (const Row& row : rows) {
    CAPTURE(row.output);
    const HookVerdict verdict = said(Event::pre_tool_use, row.output);
    CHECK(verdict.permission == row.permission);
    CHECK(verdict.reason == row.reason);
    CHECK(verdict.outcome == row.outcome);
    CHECK_FALSE(verdict.block);
  }
  const HookVerdict changed = said(
      Event::pre_tool_use, pre(R"("updatedInput": {"command": "ls"}, "additionalContext": "c")"));
  CHECK(changed.updated_input == Json{{"command", "ls"}});
  CHECK(changed.context == "c");
  CHECK_FALSE(changed.permission);
}

TEST_CASE("PermissionRequest: allow with an input, deny with a message, deny and stop") {
  const auto request = [](const std::string& decision) {
    return said(Event::permission_request,
                specific(Event::permission_request, "\"decision\": " + decision));
  };
  HookVerdict verdict =
      request(R"({"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": []})");
  CHECK(verdict.permission == kAllow);
  CHECK(verdict.updated_input == Json{{"a", 1}});
  CHECK(verdict.outcome == HookOutcome::success);

  verdict = request(R"({"behavior": "deny", "message": "m", "updatedInput": {"a": 1}})");
  CHECK(verdict.permission == kDeny);
  CHECK(verdict.reason == "m");
  CHECK_FALSE(verdict.stop);
  CHECK_FALSE(verdict.updated_input);
  CHECK(verdict.outcome == HookOutcome::blocked);

  verdict = request(R"({"behavior": "deny", "message": "m", "interrupt": true})");
  CHECK(verdict.permission == kDeny);
  CHECK(verdict.stop);
  CHECK(verdict.stop_reason == "m");

  verdict = request(R"({"behavior": "allow", "interrupt": true})");
  CHECK_FALSE(verdict.stop);
}

TEST_CASE("continue, stopReason and systemMessage at every event") {
  for (const auto& name : wire_names(Event{}).list) {
    CAPTURE(name.text);
    HookVerdict verdict =
        said(name.value, R"({"continue": false, "stopReason": "enough", "systemMessage": "hello",
                        "suppressOutput": true, "unknown": {}})");
    CHECK(verdict.outcome == HookOutcome::success);
    CHECK(verdict.stop);
    CHECK(verdict.stop_reason == "enough");
    CHECK(verdict.system_message == "hello");
    CHECK(verdict.shown.empty());
    verdict = said(name.value, R"({"continue": true, "stopReason": "enough"})");
    CHECK_FALSE(verdict.stop);
    CHECK(verdict.stop_reason.empty());
    CHECK(said(name.value, R"({"decision": "approve"})").block == false);
  }
}

TEST_CASE("additionalContext counts where there is a model to read it") {
  for (const auto& name : wire_names(Event{}).list) {
    CAPTURE(name.text);
    const bool none = name.value == Event::session_end || name.value == Event::pre_compact ||
                      name.value == Event::permission_request;
    const HookVerdict verdict =
        said(name.value, specific(name.value, R"("additionalContext": "c")"));
    CHECK(verdict.outcome == HookOutcome::success);
    CHECK(verdict.context == (none ? "" : "c"));
  }
}

TEST_CASE("text for the model is bounded in characters, and says what is missing") {
  const std::string umlaut = "\xC3\xA4";
  std::string text;
  for (std::size_t i = 0; i < kMaxModelCharacters; ++i) text += umlaut;
  CHECK(said(Event::session_start, text).context == text);
  const std::string cut = said(Event::session_start, text + umlaut + umlaut + umlaut).context;
  CHECK(cut == text + "\n[... 3 characters left out ...]");
  const auto verdict = read_verdict(Event::stop, exit_with(2, "", std::string(50'000, 'x')));
  CHECK(verdict.reason.size() < kMaxModelCharacters + 100);
  CHECK(verdict.reason.ends_with("[... 40000 characters left out ...]"));
  CHECK(read_verdict(Event::stop, exit_with(1, "", std::string(50'000, 'x'))).shown.size() < 700);
}
