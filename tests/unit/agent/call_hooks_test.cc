// The hooks of a call, as real commands: what they decide about it, what they add to its result,
// and that a broken or a killed one decides nothing.
#include "unit/agent/hook_rig.h"

using namespace agentd;
using namespace agentd::agent;
using namespace std::chrono_literals;
using HookEvent = agentd::hooks::Event;
using agentd::model::StopReason;
using agentd::test::answering;
using agentd::test::has;
using agentd::test::HookRig;
using agentd::test::ReplyBuilder;
using agentd::test::text_of;

namespace {

model::ModelEvents calling(const std::string& tool, const std::string& input) {
  return ReplyBuilder().call("t1", tool, input).stop(StopReason::tool_use).end();
}

model::ModelEvents done() {
  return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
}

std::string deciding(const std::string& decision, const std::string& more = "") {
  return answering(HookEvent::pre_tool_use, R"("permissionDecision": ")" + decision + "\"" + more);
}

// One call in a run of its own.
struct OneCall {
  HookRig hooks;
  ToolResult result = {};
  std::vector<ApprovalRequested> questions = {};

  explicit OneCall(permission::Mode mode = permission::Mode::bypass) {
    hooks.rig->conversation.mode = mode;
    hooks.rig->options.approvals = false;  // a question that is put is denied
  }

  void run(const std::string& tool, const std::string& input) {
    hooks.replies({calling(tool, input), done()});
    CHECK(hooks.run().ending == Ending::completed);
    const auto results = hooks.rig->sink().all<ToolResult>();
    REQUIRE(results.size() == 1);
    result = results[0];
    questions = hooks.rig->sink().all<ApprovalRequested>();
  }
};

const auto kAsk = permission::Mode::ask;
const auto kPlan = permission::Mode::plan;
const auto kAcceptEdits = permission::Mode::accept_edits;
const auto kBypass = permission::Mode::bypass;

}  // namespace

TEST_CASE("PreToolUse: what a hook says, what the mode says, and what becomes of the call") {
  struct Row {
    std::string hook;
    permission::Mode mode;
    std::string input;
    ToolStatus status;
    std::string text;
  };
  const auto completed = ToolStatus::completed;
  const auto denied = ToolStatus::denied;
  const std::string inside = R"({"path":"a.txt"})";
  const std::string outside = R"({"path":"../outside.txt"})";
  const std::string protected_place = R"({"path":".git/hooks/pre-commit"})";
  const std::string command = R"({"command":"make"})";
  const std::string allow = deciding("allow");
  const std::string as_text = "ran with ";
  const std::vector<Row> rows = {
      // An allow answers what only the mode asks,
      {allow, kAsk, inside, completed, as_text},
      {allow, kAsk, command, completed, as_text},
      {allow, kAcceptEdits, command, completed, as_text},
      {"true", kAsk, inside, denied, ""},
      // not what is asked because of the place,
      {allow, kAsk, outside, denied, ""},
      {allow, kAcceptEdits, outside, denied, ""},
      {allow, kAsk, protected_place, denied, ""},
      {allow, kAcceptEdits, protected_place, denied, ""},
      {allow, kBypass, outside, completed, as_text},
      // and never loosens a denial.
      {allow, kPlan, inside, denied, "Plan mode"},
      // Tightening is free.
      {deciding("deny", R"(, "permissionDecisionReason": "not this one")"), kBypass, command,
       denied, "not this one"},
      {"echo 'no force' >&2; exit 2", kBypass, command, denied, "no force"},
      {"echo '{\"decision\": \"approve\"}'; echo no >&2; exit 2", kBypass, command, denied, "no"},
      {deciding("ask"), kBypass, command, denied, ""},
      // Another input is judged as the model's own would be,
      {deciding("allow", R"(, "updatedInput": {"path": "b.txt"})"), kAsk, inside, completed,
       R"(ran with {"path":"b.txt"})"},
      {answering(HookEvent::pre_tool_use, R"("updatedInput": {"command": "x"})"), kBypass, inside,
       completed, "A hook changed the input"},
      {deciding("allow", R"(, "updatedInput": {"path": "../b.txt"})"), kAsk, inside, denied, ""},
      {deciding("allow", R"(, "updatedInput": {"path": "b.txt"})"), kPlan, inside, denied, ""},
      // also by the schema.
      {deciding("allow", R"(, "updatedInput": {"bad": 1})"), kBypass, inside, ToolStatus::failed,
       "bad"},
      // Broken ones decide nothing.
      {"exit 7", kBypass, command, completed, as_text},
      {"exit 7", kAsk, command, denied, ""},
      {"kill -9 $$", kBypass, command, completed, as_text},
      {"yes", kBypass, command, completed, as_text},
      {"no-such-program-anywhere", kBypass, command, completed, as_text},
      {"echo '{\"decision\": \"block\"'", kBypass, command, completed, as_text},
      // Its context goes along with the result.
      {answering(HookEvent::pre_tool_use, R"("additionalContext": "mind the gap")"), kBypass,
       command, completed, "mind the gap"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.hook);
    CAPTURE(row.input);
    CAPTURE(permission::to_string(row.mode));
    OneCall call(row.mode);
    call.hooks.add_echo("Do").forbidden = "bad";
    call.hooks.add(HookEvent::pre_tool_use, row.hook);
    call.run("Do", row.input);
    CHECK(call.result.status == row.status);
    CHECK_MESSAGE(has(text_of(call.result.content), row.text), text_of(call.result.content));
    REQUIRE(call.hooks.outcomes().size() == 1);  // asked once, also where the call waits
  }
}

TEST_CASE("a hook that hangs is killed at its timeout and decides nothing") {
  OneCall call;
  call.hooks.add_echo("Do");
  call.hooks.add(HookEvent::pre_tool_use, "sleep 1000 & sleep 1000", 50ms);
  call.hooks.add(HookEvent::post_tool_use, "sleep 1000", 50ms);
  call.run("Do", "{\"n\":1}");
  CHECK(call.result.status == ToolStatus::completed);
  CHECK(call.hooks.outcomes() ==
        std::vector<std::string>{"PreToolUse broken", "PostToolUse broken"});
}

TEST_CASE("PermissionRequest: a hook answers in the user's place") {
  struct Row {
    std::string decision;
    ToolStatus status;
    std::string text;
  };
  const std::vector<Row> rows = {
      {R"({"behavior": "allow"})", ToolStatus::completed, "ran with {\"path\":\"a.txt\"}"},
      {R"({"behavior": "allow", "updatedInput": {"path": "b.txt"}})", ToolStatus::completed,
       "ran with {\"path\":\"b.txt\"}"},
      {R"({"behavior": "deny", "message": "not today"})", ToolStatus::denied, "not today"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.decision);
    OneCall call(kAsk);
    call.hooks.add_echo("Do");
    call.hooks.add(HookEvent::permission_request,
                   answering(HookEvent::permission_request, "\"decision\": " + row.decision));
    call.run("Do", R"({"path":"a.txt"})");
    CHECK(call.result.status == row.status);
    CHECK(has(text_of(call.result.content), row.text));
    CHECK(call.questions.empty());
  }
}

TEST_CASE("PermissionRequest: it may open a place too, as it is asked about this very call") {
  OneCall call(kAsk);
  call.hooks.add_echo("Do");
  call.hooks.add(HookEvent::pre_tool_use, deciding("allow"));
  call.hooks.add(HookEvent::permission_request,
                 answering(HookEvent::permission_request, R"("decision": {"behavior": "allow"})"));
  call.run("Do", R"({"path":"../outside.txt"})");
  CHECK(call.result.status == ToolStatus::completed);
  CHECK(call.hooks.outcomes() ==
        std::vector<std::string>{"PreToolUse success", "PermissionRequest success"});
}

TEST_CASE("PermissionRequest is for questions only") {
  OneCall call(kBypass);
  call.hooks.add_echo("Do");
  call.hooks.add(HookEvent::permission_request, "exit 1");
  call.run("Do", R"({"path":"a.txt"})");
  CHECK(call.hooks.outcomes().empty());
}

TEST_CASE("PostToolUse and PostToolUseFailure: each after its kind of end, the model reads them") {
  for (const bool fails : {false, true}) {
    CAPTURE(fails);
    OneCall call;
    call.hooks.rig->add_tool("Do", false, [fails](const Json&, const tools::CallContext&) {
      return fails ? tools::error_outcome("it broke") : tools::text_outcome("it worked");
    });
    call.hooks.add(HookEvent::post_tool_use, "cat >in; echo unformatted >&2; exit 2");
    call.hooks.add(HookEvent::post_tool_use_failure,
                   "cat >in; " + answering(HookEvent::post_tool_use_failure,
                                           R"("additionalContext": "try make clean")"));
    call.run("Do", R"({"n":1})");
    CHECK(call.result.status == (fails ? ToolStatus::failed : ToolStatus::completed));
    const std::string text = text_of(call.result.content);
    CHECK(has(text, fails ? "it broke" : "it worked"));
    CHECK(has(text, fails ? "try make clean" : "unformatted"));
    CHECK(has(text_of(*call.hooks.rig->provider->request(1).messages.back()),
              fails ? "try make clean" : "unformatted"));
    const std::string told = platform::test::get(call.hooks.scratch / "in");
    CHECK(has(told, fails ? R"("error":"it broke")" : R"("content":"it worked")"));
    CHECK(call.hooks.outcomes() ==
          std::vector<std::string>{fails ? "PostToolUseFailure success" : "PostToolUse blocked"});
  }
}

TEST_CASE("continue false in a hook of a call ends the run, and nothing else runs") {
  HookRig hooks;
  hooks.add_echo("Do");
  hooks.add(HookEvent::pre_tool_use, R"(echo '{"continue": false, "stopReason": "enough"}')");
  hooks.replies({ReplyBuilder()
                     .call("t1", "Do", R"({"n":1})")
                     .call("t2", "Do", R"({"n":2})")
                     .stop(StopReason::tool_use)
                     .end()});
  const auto end = hooks.run();
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(has(end.message, "enough"));
  CHECK(hooks.rig->provider->requests() == 1);
  for (const auto& result : hooks.rig->sink().all<ToolResult>()) {
    CHECK_FALSE(has(text_of(result.content), "ran with"));
  }
}

TEST_CASE("a cancel kills the hooks of a call, and the call does not run") {
  for (const HookEvent event :
       {HookEvent::pre_tool_use, HookEvent::permission_request, HookEvent::post_tool_use}) {
    CAPTURE(hooks::to_string(event));
    HookRig hooks;
    hooks.rig->conversation.mode = event == HookEvent::permission_request ? kAsk : kBypass;
    bool ran = false;
    hooks.rig->add_tool("Do", false, [&ran](const Json&, const tools::CallContext&) {
      ran = true;
      return tools::text_outcome("ran");
    });
    hooks.add(event, hooks.hanging());
    hooks.replies({calling("Do", R"({"path":"a.txt"})")});
    hooks.start();
    hooks.wait_begun();
    hooks.rig->cancel();
    CHECK(hooks.rig->wait_end().ending == Ending::aborted_tools);
    CHECK(ran == (event == HookEvent::post_tool_use));
    const auto results = hooks.rig->sink().all<ToolResult>();
    REQUIRE(results.size() == 1);
    CHECK(results[0].status == ToolStatus::cancelled);
  }
}
