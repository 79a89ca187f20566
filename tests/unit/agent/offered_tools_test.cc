// Which tools a run offers: as a value, and as its requests and its executor keep to it.
#include "agent/offered_tools.h"

#include <doctest/doctest.h>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

tools::Outcome fine(const Json&, const tools::CallContext&) {
  return tools::text_outcome("fine");
}

void add_tools(AgentRig& rig) {
  rig.add_tool("Look", true, fine);
  rig.add_tool("Change", true, fine);
  rig.add_tool("Ask", true, fine);
}

std::vector<std::string> told(const model::ModelRequest& request) {
  std::vector<std::string> names;
  for (const auto& tool : *request.tools) names.push_back(tool.name);
  return names;
}

// A call of Change on the first turn, done on the second.
model::ModelEvents change_then_done(const model::ModelRequest&, std::size_t index) {
  if (index > 0) return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
  return ReplyBuilder().call("c1", "Change", "{}").stop(StopReason::tool_use).end();
}

}  // namespace

TEST_CASE("offered tools: all, some, none, and never what is denied") {
  AgentRig rig;
  add_tools(rig);
  const OfferedTools all(rig.tools, {});
  CHECK(all.names() == "Look, Change, Ask");
  CHECK(all.definitions() == rig.tools.definitions());
  const OfferedTools some(rig.tools, {.only = {{"Ask", "Look", "Missing"}}, .denied = {"Ask"}});
  CHECK(some.names() == "Look");
  CHECK(some.find("Look") == rig.tools.find("Look"));
  CHECK(some.find("Ask") == nullptr);
  CHECK(some.find("Change") == nullptr);
  const OfferedTools none(rig.tools, {.only = std::vector<std::string>()});
  CHECK(none.definitions()->empty());
}

TEST_CASE("a tool that is not offered does not exist for the model") {
  AgentRig rig;
  add_tools(rig);
  rig.options.tools.denied = {"Change"};
  rig.provider->mind = change_then_done;
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(told(rig.provider->request(0)) == std::vector<std::string>{"Look", "Ask"});
  CHECK(rig.provider->request(1).tools == rig.provider->request(0).tools);
  const auto results = rig.sink().all<ToolResult>();
  REQUIRE(results.size() == 1);
  CHECK(results[0].status == ToolStatus::failed);
  const auto& text = std::get<TextBlock>(results[0].content.at(0)).text;
  CHECK(text.find("no tool named `Change`") != std::string::npos);
  CHECK(text.find("Look, Ask") != std::string::npos);
}

TEST_CASE("a forced call is for the first turn alone") {
  AgentRig rig;
  add_tools(rig);
  rig.options.tool_choice = {ToolChoiceKind::tool, "Change"};
  rig.provider->mind = change_then_done;
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.provider->request(0).tool_choice.kind == ToolChoiceKind::tool);
  CHECK(rig.provider->request(0).tool_choice.name == "Change");
  CHECK(rig.provider->request(1).tool_choice.kind == ToolChoiceKind::automatic);
}

TEST_CASE("the choice of none holds in every turn") {
  AgentRig rig;
  add_tools(rig);
  rig.options.tool_choice = {ToolChoiceKind::none, {}};
  rig.provider->mind = change_then_done;
  rig.start();
  rig.wait_end();
  REQUIRE(rig.provider->requests() == 2);
  CHECK(rig.provider->request(0).tool_choice.kind == ToolChoiceKind::none);
  CHECK(rig.provider->request(1).tool_choice.kind == ToolChoiceKind::none);
}

TEST_CASE("without tools nothing is told of any, but for a history that has calls") {
  AgentRig rig;
  add_tools(rig);
  rig.options.tools.only = std::vector<std::string>();
  rig.provider->mind = change_then_done;  // it calls one all the same
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.provider->request(0).tools->empty());
  CHECK(told(rig.provider->request(1)) == std::vector<std::string>{"Change"});
  CHECK(rig.provider->request(1).tools->front().description == "Cannot be called.");
  CHECK(rig.provider->request(1).tool_choice.kind == ToolChoiceKind::none);
}
