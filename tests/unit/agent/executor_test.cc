// When calls start, in what order, and how they end: rules 2, 3 and 5 through a whole run.
#include "agent/executor.h"

#include <doctest/doctest.h>

#include <atomic>

#include "unit/agent/executor_cases.h"

using namespace agentd;
using namespace agentd::agent;
using namespace agentd::agent::executor_cases;
using agentd::test::Barrier;

TEST_CASE("a safe call starts while the reply is still arriving") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Look", R"({"a":1})").take());
  rig.sink().wait(result_of("t1"), "result while the stream is open");
  CHECK_FALSE(rig.provider->gone(0));
  rig.provider->reply(0, {model::MessageEnded{}});
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
}

TEST_CASE("an unsafe call, and one with empty input, wait until the reply has moved on") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.add_tool("Change", false, fine);
  rig.start();
  ReplyBuilder reply;
  rig.provider->reply(0, reply.call("t1", "Look", "").take());
  rig.provider->reply(0, reply.call("t2", "Change", R"({"a":1})").take());
  rig.sink().wait(result_of("t1"), "the empty call runs once another block began");
  rig.sink().wait(use("t2", ToolUseState::ready), "ready");
  CHECK(rig.sink().all<ToolResult>().size() == 1);
  rig.provider->reply(0, reply.call("t3", "Look", R"({"a":1})").take());
  rig.sink().wait(result_of("t2"), "the unsafe call runs once another block began");
  rig.provider->reply(0, {model::MessageEnded{}});
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
}

TEST_CASE("afterReply: nothing starts before the reply's positive end") {
  AgentRig rig;
  rig.options.tool_start = ToolStart::after_reply;
  std::atomic<bool> may_run{false};
  rig.add_tool("Look", true, [&](const Json&, const tools::CallContext&) {
    return may_run ? tools::text_outcome("fine") : tools::error_outcome("too early");
  });
  rig.start();
  ReplyBuilder reply;
  rig.provider->reply(0, reply.call("t1", "Look", R"({"a":1})").text("more").take());
  rig.sink().wait([](const Event& e) { return std::holds_alternative<TextDelta>(e); }, "text");
  may_run = true;
  rig.provider->reply(0, reply.stop(StopReason::tool_use).take());
  rig.sink().wait(result_of("t1"), "result");
  rig.provider->reply(0, {model::MessageEnded{}});
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "t1") == ToolStatus::completed);
}

TEST_CASE("safe calls run side by side, an unsafe one alone and in its place") {
  AgentRig rig;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<bool> together{false};
  Barrier both;
  rig.add_tool("Look", true, [&](const Json&, const tools::CallContext& context) {
    if (++inside == 2) {
      most = 2;
      both.open();
    }
    both.wait(context.stop);
    --inside;
    return tools::text_outcome("seen");
  });
  rig.add_tool("Change", false, [&](const Json&, const tools::CallContext&) {
    if (inside != 0) together = true;
    return tools::text_outcome("changed");
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .call("l1", "Look", R"({"a":1})")
        .call("l2", "Look", R"({"a":2})")
        .call("c1", "Change", R"({"a":3})")
        .call("l3", "Look", R"({"a":4})")
        .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(most == 2);
  CHECK_FALSE(together);
  CHECK(position(rig, result_of("l1")) < position(rig, use("c1", ToolUseState::running)));
  CHECK(position(rig, result_of("l2")) < position(rig, use("c1", ToolUseState::running)));
  CHECK(position(rig, result_of("c1")) < position(rig, use("l3", ToolUseState::running)));
}

TEST_CASE("at most ten run at once") {
  AgentRig rig;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  Barrier ten;
  rig.add_tool("Look", true, [&](const Json&, const tools::CallContext& context) {
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    if (now == 10) ten.open();
    ten.wait(context.stop);
    --inside;
    return tools::text_outcome("seen");
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    ReplyBuilder reply;
    for (int i = 0; i < 25; ++i) reply.call("t" + std::to_string(i), "Look", R"({"a":1})");
    return reply.end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(most == 10);
  CHECK(rig.sink().all<ToolResult>().size() == 25);
}

TEST_CASE("results go back in block order, whatever order they came in") {
  AgentRig rig;
  Barrier first;
  rig.add_tool("Slow", true, [&](const Json&, const tools::CallContext& context) {
    first.wait(context.stop);
    return tools::text_outcome("slow");
  });
  rig.add_tool("Quick", true, [&](const Json&, const tools::CallContext&) {
    first.open();
    return tools::text_outcome("quick");
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder().call("a", "Slow", R"({"x":1})").call("b", "Quick", R"({"x":1})").end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto& blocks = rig.provider->request(1).messages.back()->blocks;
  REQUIRE(blocks.size() == 2);
  CHECK(std::get<ToolResultBlock>(blocks[0]).tool_use_id == "a");
  CHECK(std::get<ToolResultBlock>(blocks[1]).tool_use_id == "b");
}

TEST_CASE("a failed command cancels what is queued behind it; a failed read does not") {
  AgentRig rig;
  rig.add_tool("Look", true,
               [](const Json&, const tools::CallContext&) { return tools::error_outcome("no"); });
  rig.add_tool("Command", false, [](const Json&, const tools::CallContext&) {
    auto outcome = tools::error_outcome("exit 1");
    outcome.cancels_queued = true;
    return outcome;
  });
  rig.add_tool("Change", false, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .call("l1", "Look", R"({"a":1})")
        .call("c1", "Command", R"({"a":1})")
        .call("w1", "Change", R"({"a":1})")
        .call("l2", "Look", R"({"a":1})")
        .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "l1") == ToolStatus::failed);
  CHECK(status_of(rig, "c1") == ToolStatus::failed);
  CHECK(status_of(rig, "w1") == ToolStatus::cancelled);
  CHECK(status_of(rig, "l2") == ToolStatus::cancelled);
}

TEST_CASE("a tool that throws is a failed call, not a failed run") {
  AgentRig rig;
  rig.add_tool("Look", true, [](const Json&, const tools::CallContext&) -> tools::Outcome {
    throw std::runtime_error("bug");
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    return index == 1 ? done() : ReplyBuilder().call("t1", "Look", R"({"a":1})").end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "t1") == ToolStatus::failed);
}

TEST_CASE("progress is told while the call runs, and a new directory is kept") {
  AgentRig rig;
  rig.add_tool("Command", false, [](const Json&, const tools::CallContext& context) {
    context.progress(platform::OutputStream::standard_output, "working");
    auto outcome = tools::text_outcome("ok");
    outcome.cwd = "/";
    return outcome;
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    return index == 1 ? done() : ReplyBuilder().call("t1", "Command", R"({"a":1})").end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<ToolProgress>().at(0).text == "working");
  CHECK(rig.conversation.cwd == "/");
}

TEST_CASE("afterReply: what the end of the reply forbids does not start when the gate opens") {
  for (const auto reason : {StopReason::refusal, StopReason::max_tokens}) {
    AgentRig rig;
    std::atomic<int> ran{0};
    rig.options.tool_start = ToolStart::after_reply;
    rig.options.max_turns = 1;
    const auto count = [&](const Json&, const tools::CallContext&) {
      ++ran;
      return tools::text_outcome("fine");
    };
    rig.add_tool("Change", false, count);
    rig.add_tool("Look", true, count);
    rig.provider->mind = [reason](const auto&, std::size_t) {
      ReplyBuilder reply;
      if (reason == StopReason::refusal) reply.call("c1", "Change", "{}").text("no");
      return reply.call("c2", "Look", R"({"n":1})").stop(reason).end();
    };
    rig.start();
    rig.wait_end();
    CHECK(ran == 0);
  }
}
