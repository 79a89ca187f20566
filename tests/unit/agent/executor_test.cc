// When calls start, in what order, and who is asked: rules 2 to 5 through a whole run.
#include "agent/executor.h"

#include <doctest/doctest.h>

#include <atomic>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::Barrier;
using agentd::test::ReplyBuilder;

namespace {

tools::Outcome fine(const Json&, const tools::CallContext&) {
  return tools::text_outcome("fine");
}

model::ModelEvents done() {
  return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
}

auto use(const char* id, ToolUseState state) {
  return [id = std::string(id), state](const Event& event) {
    const auto* use = std::get_if<ToolUse>(&event);
    return use != nullptr && use->tool_use_id == id && use->state == state;
  };
}

auto result_of(const char* id) {
  return [id = std::string(id)](const Event& event) {
    const auto* result = std::get_if<ToolResult>(&event);
    return result != nullptr && result->tool_use_id == id;
  };
}

auto asked_for(const char* id) {
  return [id = std::string(id)](const Event& event) {
    const auto* asked = std::get_if<ApprovalRequested>(&event);
    return asked != nullptr && asked->tool_use_id == id;
  };
}

std::size_t position(AgentRig& rig, const std::function<bool(const Event&)>& match) {
  const auto events = rig.sink().events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (match(events[i])) return i;
  }
  FAIL("no such event");
  return 0;
}

ToolStatus status_of(AgentRig& rig, const std::string& id) {
  for (const auto& result : rig.sink().all<ToolResult>()) {
    if (result.tool_use_id == id) return result.status;
  }
  FAIL("no result for " << id);
  return ToolStatus::failed;
}

Result<void> answer(AgentRig& rig, ApprovalAnswer given) {
  std::mutex mutex;
  std::condition_variable called;
  std::optional<Result<void>> got;
  rig.run->approve(std::move(given), [&](Result<void> r) {
    std::lock_guard lock(mutex);
    got = std::move(r);
    called.notify_all();
  });
  std::unique_lock lock(mutex);
  REQUIRE(called.wait_for(lock, std::chrono::seconds(20), [&] { return got.has_value(); }));
  return *got;
}

}  // namespace

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

TEST_CASE("an approval: asked, answered, then it runs; a late answer is told so") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false, fine);
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Change", R"({"path":"a"})").end());
  rig.sink().wait(asked_for("t1"), "question");
  const auto unknown = answer(rig, {.tool_use_id = "zz"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == Code::unknown_call);
  CHECK(answer(rig, {.tool_use_id = "t1", .decision = ApprovalDecision::allow}));
  const auto late = answer(rig, {.tool_use_id = "t1", .decision = ApprovalDecision::allow});
  REQUIRE_FALSE(late);
  CHECK(late.error().code == Code::too_late);
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(position(rig, use("t1", ToolUseState::ready)) < position(rig, asked_for("t1")));
  CHECK(status_of(rig, "t1") == ToolStatus::completed);
}

TEST_CASE(
    "a denial is told to the model with the user's words, cancels what is behind it, and the "
    "run goes on") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false, fine);
  rig.add_tool("Look", true, fine);
  rig.start();
  rig.provider->reply(0, ReplyBuilder()
                             .call("t1", "Change", R"({"path":"a"})")
                             .call("t2", "Look", R"({"path":"b"})")
                             .end());
  rig.sink().wait(asked_for("t1"), "question");
  CHECK(answer(rig, {.tool_use_id = "t1", .message = "use b instead"}));
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "t1") == ToolStatus::denied);
  CHECK(status_of(rig, "t2") == ToolStatus::cancelled);
  const auto& result =
      std::get<ToolResultBlock>(rig.provider->request(1).messages.back()->blocks[0]);
  CHECK(std::get<TextBlock>(result.content[0]).text.find("use b instead") != std::string::npos);
}

TEST_CASE("a session grant settles the pending questions it covers") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Command", false, fine);
  rig.start();
  rig.provider->reply(0, ReplyBuilder()
                             .call("t1", "Command", R"({"command":"make"})")
                             .call("t2", "Command", R"({"command":"make"})")
                             .call("t3", "Command", R"({"command":"make clean"})")
                             .end());
  rig.sink().wait(asked_for("t3"), "third question");
  CHECK(answer(
      rig,
      {.tool_use_id = "t1", .decision = ApprovalDecision::allow, .scope = ApprovalScope::session}));
  rig.sink().wait(result_of("t2"), "the covered call ran");
  CHECK(answer(rig, {.tool_use_id = "t3", .decision = ApprovalDecision::deny}));
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto resolved = rig.sink().all<ApprovalResolved>();
  REQUIRE(resolved.size() == 3);
  CHECK(resolved[1].by == ApprovalBy::grant);
}

TEST_CASE("nobody to ask: denied at once, with the reason") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.options.approvals = false;
  rig.add_tool("Change", false, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    return index == 1 ? done()
                      : ReplyBuilder()
                            .call("t1", "Change", R"({"path":"a"})")
                            .call("t2", "Change", R"({"path":"b"})")
                            .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "t1") == ToolStatus::denied);
  CHECK(rig.sink().all<ApprovalResolved>().at(0).by == ApprovalBy::no_approver);
}

TEST_CASE("questions withdrawn while one is open") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false, fine);
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Change", R"({"path":"a"})").end());
  rig.sink().wait(asked_for("t1"), "question");
  rig.run->withdraw_approvals();
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "t1") == ToolStatus::denied);
}

TEST_CASE("an answer may replace the input, which must fit") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  std::string seen;
  rig.add_tool("Change", false,
               [&](const Json& input, const tools::CallContext&) {
                 seen = input["path"].get<std::string>();
                 return tools::text_outcome("changed");
               })
      .required = {"path"};
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Change", R"({"path":"a"})").end());
  rig.sink().wait(asked_for("t1"), "question");
  const auto bad = answer(
      rig,
      {.tool_use_id = "t1", .decision = ApprovalDecision::allow, .updated_input = Json::object()});
  REQUIRE_FALSE(bad);
  CHECK(bad.error().code == Code::invalid_input);
  CHECK(answer(rig, {.tool_use_id = "t1",
                     .decision = ApprovalDecision::allow,
                     .updated_input = Json{{"path", "b"}}}));
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(seen == "b");
}

TEST_CASE("an input that the user wrote is held to what it meant then") {
  // The disk, where the path that is replaced leads elsewhere from the second look on.
  class MovingFiles final : public platform::Files {
   public:
    Result<std::string> canonical(const std::string& path) override {
      if (path.ends_with("/moving") && looks++ > 0) return std::string("/elsewhere");
      return path;
    }
    Result<platform::FileInfo> info(const std::string& path, platform::Links links) override {
      return disk->info(path, links);
    }
    Result<std::string> read(const std::string&, std::uint64_t, platform::Links) override {
      return no();
    }
    Result<std::string> read_range(const std::string&, std::uint64_t, std::uint64_t,
                                   platform::Links) override {
      return no();
    }
    Result<void> replace(const std::string&, std::string_view, platform::Links) override {
      return no();
    }
    Result<std::vector<std::string>> list(const std::string&, platform::Links) override {
      return no();
    }
    static Error no() { return make_error(Code::not_found, "nothing there"); }
    std::unique_ptr<platform::Files> disk = platform::make_disk_files();
    std::atomic<int> looks{0};
  };
  AgentRig rig;
  rig.files = std::make_unique<MovingFiles>();
  rig.conversation.mode = permission::Mode::ask;
  std::atomic<int> ran{0};
  rig.add_tool("Change", false, [&](const Json&, const tools::CallContext&) {
    ++ran;
    return tools::text_outcome("changed");
  });
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Change", R"({"path":"a"})").end());
  rig.sink().wait(asked_for("t1"), "question");
  CHECK(answer(rig, {.tool_use_id = "t1",
                     .decision = ApprovalDecision::allow,
                     .updated_input = Json{{"path", "moving"}}}));
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(status_of(rig, "t1") == ToolStatus::denied);
  CHECK(ran == 0);
}

TEST_CASE("a change of mode settles open questions") {
  for (const bool allowing : {true, false}) {
    AgentRig rig;
    rig.conversation.mode = permission::Mode::ask;
    rig.add_tool("Change", false, fine);
    rig.start();
    rig.provider->reply(0, ReplyBuilder().call("t1", "Change", R"({"path":"a"})").end());
    rig.sink().wait(asked_for("t1"), "question");
    rig.run->set_mode(allowing ? permission::Mode::accept_edits : permission::Mode::plan);
    rig.provider->reply(1, done());
    CHECK(rig.wait_end().ending == Ending::completed);
    CHECK(status_of(rig, "t1") == (allowing ? ToolStatus::completed : ToolStatus::denied));
    CHECK(rig.sink().all<ApprovalResolved>().at(0).by == ApprovalBy::mode);
  }
}

TEST_CASE("a second change of one file is asked when the first has settled") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false, fine);
  rig.start();
  rig.provider->reply(0, ReplyBuilder()
                             .call("t1", "Change", R"({"path":"a","n":1})")
                             .call("t2", "Change", R"({"path":"a","n":2})")
                             .call("t3", "Change", R"({"path":"b"})")
                             .end());
  rig.sink().wait(asked_for("t1"), "first question");
  rig.sink().wait(use("t3", ToolUseState::ready), "third ready");
  CHECK(answer(rig, {.tool_use_id = "t1", .decision = ApprovalDecision::allow}));
  rig.sink().wait(asked_for("t2"), "second question");
  CHECK(position(rig, result_of("t1")) < position(rig, asked_for("t2")));
  CHECK(answer(rig, {.tool_use_id = "t2", .decision = ApprovalDecision::allow}));
  rig.sink().wait(asked_for("t3"), "third question");
  CHECK(answer(rig, {.tool_use_id = "t3", .decision = ApprovalDecision::allow}));
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
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
