// Who is asked before a call runs, and what the answers do: rule 4 through a whole run.
#include "agent/executor.h"

#include <doctest/doctest.h>

#include <atomic>

#include "unit/agent/executor_cases.h"

using namespace agentd;
using namespace agentd::agent;
using namespace agentd::agent::executor_cases;

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
    Result<void> replace_with_mode(const std::string&, std::string_view, std::uint32_t,
                                   platform::Links) override {
      return no();
    }
    Result<void> remove(const std::string&, platform::Links) override { return no(); }
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
