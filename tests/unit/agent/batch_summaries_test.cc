// A small model's line about each batch of calls: what it is asked, what is made of its answer, and
// that a run neither waits for it nor falls with it.
#include "agent/batch_summaries.h"

#include <doctest/doctest.h>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::Barrier;
using agentd::test::FakeProvider;
using agentd::test::ReplyBuilder;

namespace {

model::ModelEvents said(const std::string& text) {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

// A run with a call and an answer; `small` sums up.
struct SummingRig : AgentRig {
  SummingRig() {
    add_tool("Look", true, [](const Json&, const tools::CallContext&) {
      return tools::text_outcome("three files");
    });
    model::ResolvedModel model;
    model.name = "test/small";
    model.provider = small;
    options.summary_model = std::move(model);
  }

  std::shared_ptr<FakeProvider> small = std::make_shared<FakeProvider>();
};

}  // namespace

TEST_CASE("the prompt tells of calls and results, cut, and counts the rest") {
  std::vector<SummedCall> calls;
  for (int i = 0; i < 14; ++i) {
    calls.push_back({"c", "Grep", {{"pattern", std::string(1000, 'p')}}, "found", i == 1});
  }
  const std::string prompt = summary_prompt("I look for it.", calls);
  CHECK(prompt.find("The agent said: I look for it.") == 0);
  CHECK(prompt.find("Grep {\"pattern\":\"ppp") != std::string::npos);
  CHECK(prompt.find("failed: found") != std::string::npos);
  CHECK(prompt.find("and 2 more calls") != std::string::npos);
  CHECK(prompt.size() < 12 * 600);
}

TEST_CASE("the line is the first that says something, cut between characters") {
  CHECK(summary_line("") == "");
  CHECK(summary_line(" \n\t\n") == "");
  CHECK(summary_line("\n  Read three files  \r\nand more") == "Read three files");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00fc";
  CHECK(summary_line(umlauts).size() == 164);
}

TEST_CASE("each batch gets its line, and its tokens count") {
  SummingRig rig;
  rig.provider->mind = nullptr;
  rig.start();
  rig.provider->wait_requests(1);
  rig.provider->reply(
      0, ReplyBuilder().text("I look.").call("c1", "Look", "{}").stop(StopReason::tool_use).end());
  rig.small->wait_requests(1);
  const auto asked = rig.small->request(0);
  const auto& prompt = std::get<TextBlock>(asked.messages.at(0)->blocks.at(0)).text;
  CHECK(prompt.find("I look.") != std::string::npos);
  CHECK(prompt.find("gave: three files") != std::string::npos);
  auto answer = said("Looked at three files");
  Usage usage;
  usage.output_tokens = 7;
  answer.insert(answer.begin(), model::UsageTold{usage});
  rig.small->reply(0, std::move(answer));
  rig.sink().wait([](const Event& event) { return std::holds_alternative<ToolSummary>(event); },
                  "a summary");
  rig.provider->wait_requests(2);
  rig.provider->reply(1, said("done"));
  const RunEnded end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.usage.output_tokens == 7);
  const auto summaries = rig.sink().all<ToolSummary>();
  REQUIRE(summaries.size() == 1);
  CHECK(summaries[0].summary == "Looked at three files");
  CHECK(summaries[0].tool_use_ids == std::vector<std::string>{"c1"});
}

TEST_CASE("a run does not wait for a summary: what has not come is dropped") {
  SummingRig rig;
  rig.provider->mind = [](const model::ModelRequest&, std::size_t index) {
    if (index > 0) return said("done");
    return ReplyBuilder().call("c1", "Look", "{}").stop(StopReason::tool_use).end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<ToolSummary>().empty());
  CHECK(rig.small->requests() == 1);
  CHECK(rig.small->gone(0));
}

TEST_CASE("a small model that cannot be had is told of once and left alone") {
  SummingRig rig;
  rig.small->mind = [](const model::ModelRequest&, std::size_t) {
    return ReplyBuilder().fail(model::FailureClass::auth).take();
  };
  rig.provider->mind = [](const model::ModelRequest&, std::size_t index) {
    if (index > 2) return said("done");
    const std::string id = "c" + std::to_string(index);
    const std::string input = "{\"n\":" + std::to_string(index) + "}";
    return ReplyBuilder().call(id, "Look", input).stop(StopReason::tool_use).end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.small->requests() == 1);
  const auto notices = rig.sink().all<Notice>();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].code == "tool_summary");
}

TEST_CASE("the first fault drops what else was asked, and is told alone") {
  SummingRig rig;
  Barrier last;
  rig.add_tool("Wait", true, [&](const Json&, const tools::CallContext& context) {
    last.wait(context.stop);
    return tools::text_outcome("waited");
  });
  rig.provider->mind = [](const model::ModelRequest&, std::size_t index) {
    const std::string id = "c" + std::to_string(index);
    const std::string input = "{\"n\":" + std::to_string(index) + "}";
    if (index > 2) return said("done");
    return ReplyBuilder()
        .call(id, index == 2 ? "Wait" : "Look", input)
        .stop(StopReason::tool_use)
        .end();
  };
  rig.start();
  rig.small->wait_requests(2);
  rig.small->reply(0, ReplyBuilder().fail(model::FailureClass::auth).take());
  rig.sink().wait([](const Event& event) { return std::holds_alternative<Notice>(event); },
                  "a notice");
  CHECK(rig.small->gone(1));
  rig.small->reply(1, ReplyBuilder().fail(model::FailureClass::auth).take());
  last.open();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<Notice>().size() == 1);
  CHECK(rig.small->requests() == 2);
}
