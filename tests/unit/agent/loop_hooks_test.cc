// The hooks the loop itself runs, as real commands: at the session's start, at a prompt, after a
// batch, before a compaction, before the end.
#include <algorithm>

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

using Outcomes = std::vector<std::string>;

model::ModelEvents done(const std::string& text = "done") {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

model::ModelEvents calling(StopReason reason = StopReason::tool_use) {
  return ReplyBuilder().call("t1", "Do", R"({"n":1})").stop(reason).end();
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("SessionStart: once for a session, its words are context") {
  HookRig hooks;
  hooks.add(HookEvent::session_start, "cat >>starts; echo use tabs");
  hooks.replies({done()});
  hooks.run("one");
  hooks.run("two");
  CHECK(lines_in(platform::test::get(hooks.scratch / "starts")) == 1);
  CHECK(has(platform::test::get(hooks.scratch / "starts"), R"("source":"startup")"));
  const auto second = hooks.rig->provider->request(1);
  CHECK(has(text_of(*second.messages.front()), "use tabs"));
  CHECK_FALSE(has(text_of(*second.messages.back()), "use tabs"));
}

TEST_CASE("UserPromptSubmit: its words are context, its objection keeps the prompt back") {
  HookRig hooks;
  hooks.add(HookEvent::user_prompt_submit,
            "grep -q secret && { echo not that >&2; exit 2; }; echo it is Friday");
  hooks.replies({done()});
  CHECK(hooks.run("a question").ending == Ending::completed);
  CHECK(has(text_of(*hooks.rig->provider->request(0).messages.back()), "it is Friday"));
  const auto end = hooks.run("the secret");
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(has(end.message, "not that"));
  CHECK(hooks.rig->provider->requests() == 1);
  CHECK(hooks.outcomes() == Outcomes{"UserPromptSubmit success", "UserPromptSubmit blocked"});
}

TEST_CASE("a Stop hook that always objects is heard eight times, and told that it did") {
  HookRig hooks;
  hooks.add(HookEvent::stop, "cat >>stops; echo run the tests >&2; exit 2");
  hooks.replies({done()});
  CHECK(hooks.run().ending == Ending::completed);
  CHECK(hooks.rig->provider->requests() == 9);
  CHECK(has(text_of(*hooks.rig->provider->request(1).messages.back()), "run the tests"));
  CHECK(hooks.outcomes() == Outcomes(9, "Stop blocked"));
  std::size_t warned = 0;
  for (const auto& notice : hooks.rig->sink().all<Notice>()) {
    if (notice.code == "stop_hook_ignored") ++warned;
  }
  CHECK(warned == 1);
  const std::string told = platform::test::get(hooks.scratch / "stops");
  CHECK(lines_in(told) == 9);
  CHECK(has(told.substr(0, told.find('\n')), R"("stop_hook_active":false)"));
  CHECK(told.find("\"stop_hook_active\":false", told.find('\n')) == std::string::npos);
}

TEST_CASE("a Stop hook that says continue false ends the run") {
  HookRig hooks;
  hooks.add(HookEvent::stop, R"(echo '{"continue": false, "stopReason": "lunch"}')");
  hooks.replies({done()});
  const auto end = hooks.run();
  CHECK(end.ending == Ending::stop_hook_prevented);
  CHECK(has(end.message, "lunch"));
}

TEST_CASE("a broken Stop hook lets the run end") {
  HookRig hooks;
  hooks.add(HookEvent::stop, "exit 1");
  hooks.add(HookEvent::stop, "sleep 1000", 50ms);
  hooks.add(HookEvent::stop, "yes");
  hooks.replies({done()});
  CHECK(hooks.run().ending == Ending::completed);
  CHECK(hooks.outcomes() == Outcomes(3, "Stop broken"));
}

TEST_CASE("PreCompact: an objection forbids the compaction") {
  HookRig hooks;
  hooks.add(HookEvent::pre_compact, "cat >in; echo not now >&2; exit 2");
  hooks.replies({done()});
  hooks.run();
  hooks.rig->options.compaction = "keep the names";
  const auto end = hooks.run();
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(hooks.rig->provider->requests() == 1);
  const auto compacted = hooks.rig->sink().all<Compacted>();
  REQUIRE(compacted.size() == 1);
  CHECK(has(compacted[0].fault, "not now"));
  CHECK(has(platform::test::get(hooks.scratch / "in"),
            R"("trigger":"manual","custom_instructions":"keep the names")"));
}

TEST_CASE("PostToolBatch: its context goes behind the results") {
  HookRig hooks;
  hooks.add_echo("Do");
  hooks.add(HookEvent::post_tool_batch,
            answering(HookEvent::post_tool_batch, R"("additionalContext": "look at the log")"));
  hooks.replies({calling(), done()});
  CHECK(hooks.run().ending == Ending::completed);
  const std::string told = text_of(*hooks.rig->provider->request(1).messages.back());
  CHECK(has(told, "ran with"));
  CHECK(told.find("look at the log") > told.find("ran with"));
  CHECK(hooks.outcomes() == Outcomes{"PostToolBatch success"});
}

TEST_CASE("PostToolBatch: its objection ends the run") {
  HookRig hooks;
  hooks.add_echo("Do");
  hooks.add(HookEvent::post_tool_batch, "echo enough >&2; exit 2");
  hooks.replies({calling(), done()});
  const auto end = hooks.run();
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(has(end.message, "enough"));
  CHECK(hooks.rig->provider->requests() == 1);
}

TEST_CASE("PostToolBatch does not run for a reply that leaves no trace") {
  for (const StopReason reason : {StopReason::max_tokens, StopReason::refusal}) {
    CAPTURE(model::to_string(reason));
    HookRig hooks;
    hooks.add_echo("Do");
    hooks.add(HookEvent::post_tool_batch, "echo enough >&2; exit 2");
    hooks.replies({calling(reason), done()});
    const auto end = hooks.run();
    CHECK(end.ending == (reason == StopReason::refusal ? Ending::refused : Ending::completed));
    CHECK(hooks.outcomes().empty());
  }
}

TEST_CASE("PostToolBatch does not run when the run was cancelled") {
  HookRig hooks;
  test::Barrier began;
  hooks.rig->add_tool("Do", false, [&](const Json&, const tools::CallContext& context) {
    began.open();
    test::Barrier never;
    never.wait(context.stop);
    return tools::text_outcome("stopped");
  });
  hooks.add(HookEvent::post_tool_batch, "true");
  hooks.replies({calling()});
  hooks.start();
  began.wait({});
  hooks.rig->cancel();
  CHECK(hooks.rig->wait_end().ending == Ending::aborted_tools);
  CHECK(hooks.outcomes().empty());
}

TEST_CASE("a cancel kills the hooks of the loop") {
  struct Row {
    HookEvent event;
    Ending ending;
  };
  for (const Row& row : {Row{HookEvent::session_start, Ending::aborted_streaming},
                         Row{HookEvent::user_prompt_submit, Ending::aborted_streaming},
                         Row{HookEvent::post_tool_batch, Ending::aborted_streaming},
                         Row{HookEvent::stop, Ending::aborted_streaming}}) {
    CAPTURE(hooks::to_string(row.event));
    HookRig hooks;
    hooks.add_echo("Do");
    hooks.add(row.event, hooks.hanging());
    hooks.replies({calling(), done()});
    hooks.start();
    hooks.wait_begun();
    hooks.rig->cancel();
    CHECK(hooks.rig->wait_end().ending == row.ending);
    CHECK(hooks.outcomes() == Outcomes{std::string(hooks::to_string(row.event)) + " cancelled"});
  }
}

TEST_CASE("continue: false ends the run at SessionStart") {
  HookRig hooks;
  hooks.add(HookEvent::session_start,
            R"(echo '{"continue": false, "stopReason": "not on Fridays"}')");
  hooks.replies({done()});
  const auto end = hooks.run("one");
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(has(end.message, "not on Fridays"));
  CHECK(hooks.rig->provider->requests() == 0);
}

TEST_CASE("continue: false of UserPromptSubmit ends a run that was going on") {
  HookRig hooks;
  hooks.add(HookEvent::user_prompt_submit,
            R"(grep -q secret && echo '{"continue": false, "stopReason": "no secrets"}'; true)");
  auto& rig = *hooks.rig;
  hooks.start("one");
  rig.provider->wait_requests(1);
  rig.run->send({"m1", {TextBlock{"the secret"}}, Delivery::steer}, [](Result<void>) {});
  rig.provider->reply(0, done());
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(has(end.message, "no secrets"));
  CHECK(rig.provider->requests() == 1);
  REQUIRE(end.not_delivered.size() == 1);
  CHECK(end.not_delivered[0].id == "m1");
}

TEST_CASE("continue: false of PreCompact ends the run, not only the compaction") {
  HookRig hooks;
  hooks.add(HookEvent::pre_compact, R"(echo '{"continue": false, "stopReason": "keep it all"}')");
  hooks.replies({ReplyBuilder().fail(model::FailureClass::context_overflow).take()});
  const auto end = hooks.run("one");
  CHECK(end.ending == Ending::hook_stopped);
  CHECK(has(end.message, "keep it all"));
}
