// Cancel at every point: one ending, everything closed, history fit for the next request.
#include <doctest/doctest.h>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::Barrier;
using agentd::test::ReplyBuilder;

namespace {

bool is_text(const Event& event) {
  return std::holds_alternative<TextDelta>(event);
}

bool is_running(const Event& event) {
  const auto* use = std::get_if<ToolUse>(&event);
  return use != nullptr && use->state == ToolUseState::running;
}

void check_closed(AgentRig& rig) {
  std::size_t started = 0;
  for (const auto& use : rig.sink().all<ToolUse>()) {
    if (use.state == ToolUseState::started) ++started;
  }
  CHECK(rig.sink().all<ToolResult>().size() == started);
  CHECK(rig.sink().all<ApprovalRequested>().size() == rig.sink().all<ApprovalResolved>().size());
  CHECK(rig.sink().all<RunEnded>().size() == 1);
  CHECK(std::holds_alternative<RunEnded>(rig.sink().events().back()));
  CHECK(rig.conversation.history.view().back()->role == Role::user);
}

}  // namespace

TEST_CASE("cancel while waiting for the first byte") {
  AgentRig rig;
  rig.start();
  rig.provider->wait_requests(1);
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_streaming);
  CHECK(rig.provider->gone(0));
  check_closed(rig);
}

TEST_CASE("cancel sent together with the start is not lost") {
  AgentRig rig;
  rig.start();
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_streaming);
  check_closed(rig);
}

TEST_CASE("cancel while text streams keeps the text") {
  AgentRig rig;
  rig.start();
  rig.provider->reply(0, {model::BlockBegan{0, model::BlockKind::text, {}, {}},
                          model::Delta{0, model::DeltaKind::text, "half a sen"}});
  rig.sink().wait(is_text, "text");
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_streaming);
  check_closed(rig);
  REQUIRE(rig.conversation.history.view().size() == 3);
  CHECK(std::get<TextBlock>(rig.conversation.history.view()[1]->blocks[0]).text == "half a sen");
}

TEST_CASE("cancel while a call's input streams") {
  AgentRig rig;
  rig.start();
  rig.provider->reply(0, ReplyBuilder().text("x").open_call("t1", "Write", "{\"a\":").take());
  rig.sink().wait(is_text, "text");
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_tools);
  check_closed(rig);
}

TEST_CASE("unsigned thinking does not survive a cancel, signed does") {
  AgentRig rig;
  rig.start();
  rig.provider->reply(
      0, ReplyBuilder().thinking("a", "SIG").thinking("b", std::nullopt).text("x").take());
  rig.sink().wait(is_text, "text");
  rig.cancel();
  rig.wait_end();
  const auto& said = rig.conversation.history.view().at(1)->blocks;
  REQUIRE(said.size() == 2);
  CHECK(std::get<ThinkingBlock>(said[0]).signature == "SIG");
}

TEST_CASE("cancel while a tool runs: its result tells what it had done") {
  AgentRig rig;
  rig.add_tool("Wait", false, [](const Json&, const tools::CallContext& context) {
    Barrier never;
    never.wait(context.stop);
    return tools::error_outcome("did half of it");
  });
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Wait", R"({"a":1})").end());
  rig.sink().wait(is_running, "running");
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_tools);
  check_closed(rig);
  const auto result = rig.sink().all<ToolResult>().at(0);
  CHECK(result.status == ToolStatus::cancelled);
  REQUIRE(result.content.size() == 2);
  CHECK(std::get<TextBlock>(result.content[0]).text == "Interrupted by user.");
  CHECK(std::get<TextBlock>(result.content[1]).text == "did half of it");
}

TEST_CASE("cancel while a question is open") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false,
               [](const Json&, const tools::CallContext&) { return tools::text_outcome("x"); });
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Change", R"({"path":"a"})").end());
  rig.sink().wait([](const Event& e) { return std::holds_alternative<ApprovalRequested>(e); },
                  "question");
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_tools);
  CHECK(rig.sink().all<ApprovalResolved>().at(0).by == ApprovalBy::cancelled);
  check_closed(rig);
}

TEST_CASE("cancel while waiting for a retry") {
  AgentRig rig;
  rig.start();
  rig.provider->reply(0, ReplyBuilder().fail(model::FailureClass::overloaded).take());
  REQUIRE(rig.clock.wait_pending(1));
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_streaming);
  check_closed(rig);
}

TEST_CASE("cancel twice, and after the end: each is answered with the ending") {
  AgentRig rig;
  rig.start();
  rig.provider->wait_requests(1);
  std::atomic<int> answered{0};
  const auto count = [&](Ending ending) {
    if (ending == Ending::aborted_streaming) ++answered;
  };
  rig.run->cancel(count);
  rig.run->cancel(count);
  rig.sink().wait([](const Event& e) { return std::holds_alternative<RunEnded>(e); }, "end");
  rig.run->cancel(count);
  rig.wait_end();  // joins the run: whatever was in its mailbox has been answered
  CHECK(answered == 3);
}

TEST_CASE("a call that does not stop is given up and named") {
  // Its thread outlives the run, and so must what it uses; the program then leaves without
  // destructors (agent::left_behind).
  static AgentRig& rig = *new AgentRig;
  auto stuck = std::make_shared<Barrier>();
  rig.add_tool("Stuck", false, [stuck](const Json&, const tools::CallContext&) {
    stuck->wait({});
    return tools::text_outcome("late");
  });
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Stuck", R"({"a":1})").end());
  rig.sink().wait(is_running, "running");
  rig.cancel();
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(std::chrono::seconds(6));
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::aborted_tools);
  CHECK(end.message.find("Stuck") != std::string::npos);
  check_closed(rig);
  stuck->open();
}

TEST_CASE("a look around that a dead file system holds is given up") {
  class DeadFiles final : public platform::Files {
   public:
    Result<platform::FileInfo> info(const std::string&, platform::Links) override {
      asked.open();
      never.wait({});
      return make_error(Code::io, "late");
    }
    Result<std::string> read(const std::string&, std::uint64_t, platform::Links) override {
      return dead();
    }
    Result<std::string> read_range(const std::string&, std::uint64_t, std::uint64_t,
                                   platform::Links) override {
      return dead();
    }
    Result<void> replace(const std::string&, std::string_view, platform::Links) override {
      return dead();
    }
    Result<void> replace_with_mode(const std::string&, std::string_view, std::uint32_t,
                                   platform::Links) override {
      return dead();
    }
    Result<void> remove(const std::string&, platform::Links) override { return dead(); }
    Result<std::string> canonical(const std::string&) override { return dead(); }
    Result<std::vector<std::string>> list(const std::string&, platform::Links) override {
      return dead();
    }
    static Error dead() { return make_error(Code::io, "dead"); }
    Barrier asked;
    Barrier never;
  };
  static AgentRig& rig = *new AgentRig;  // as above
  auto* dead = new DeadFiles;
  rig.files.reset(dead);
  rig.start();
  REQUIRE(dead->asked.wait({}));
  rig.cancel();
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(std::chrono::seconds(6));
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::aborted_streaming);
  CHECK(end.message.find("looking around") != std::string::npos);
  CHECK(agent::left_behind() > 0);
  dead->never.open();
}

TEST_CASE("the next run continues from a cancelled one") {
  AgentRig rig;
  rig.start();
  rig.provider->reply(0, ReplyBuilder().text("x").open_call("t1", "Write", "{\"a\":").take());
  rig.sink().wait(is_text, "text");
  rig.cancel();
  rig.wait_end();
  rig.start("go on");
  rig.provider->reply(1, ReplyBuilder().text("ok").stop(StopReason::end_turn).end());
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto request = rig.provider->request(1);
  REQUIRE(request.messages.size() == 3);
  const auto& last = request.messages[2]->blocks;
  REQUIRE(last.size() == 3);
  CHECK(std::holds_alternative<ToolResultBlock>(last[0]));
  CHECK(std::get<TextBlock>(last[2]).text == "go on");
}
