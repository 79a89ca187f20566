// The loop against a mind in the test's hand: what is sent, what is told, what history keeps.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::FailureClass;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

tools::Outcome fine(const Json&, const tools::CallContext&) {
  return tools::text_outcome("fine");
}

model::ModelEvents done(const std::string& text = "done") {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

std::vector<std::string> transitions(AgentRig& rig) {
  std::vector<std::string> names;
  for (const auto& turn : rig.sink().all<TurnStarted>()) {
    if (turn.transition) names.emplace_back(to_string(*turn.transition));
  }
  return names;
}

std::string last_user_text(const model::ModelRequest& request) {
  const auto& blocks = request.messages.back()->blocks;
  const auto* text = std::get_if<TextBlock>(&blocks.back());
  return text != nullptr ? text->text : "";
}

std::vector<ToolResultBlock> results_in(const Message& message) {
  std::vector<ToolResultBlock> results;
  for (const auto& block : message.blocks) {
    if (const auto* result = std::get_if<ToolResultBlock>(&block)) results.push_back(*result);
  }
  return results;
}

}  // namespace

TEST_CASE("a text answer completes") {
  AgentRig rig;
  rig.provider->mind = [](const auto&, std::size_t) { return done("hello"); };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.turns == 1);
  CHECK(rig.sink().all<TextDelta>().at(0).text == "hello");
  REQUIRE(rig.conversation.history.view().size() == 2);
  const auto events = rig.sink().events();
  CHECK(std::holds_alternative<RunStarted>(events.front()));
  CHECK(std::holds_alternative<RunEnded>(events.back()));
}

TEST_CASE("the surroundings are told once, in front of the first prompt") {
  AgentRig rig;
  rig.provider->mind = [](const auto&, std::size_t) { return done(); };
  rig.start("one");
  rig.wait_end();
  rig.start("two");
  rig.wait_end();
  const auto second = rig.provider->request(1);
  REQUIRE(second.messages.size() == 3);
  const auto& first = second.messages[0]->blocks;
  REQUIRE(first.size() == 2);
  CHECK(std::get<TextBlock>(first[0]).text.find("Working directory") != std::string::npos);
  CHECK(std::get<TextBlock>(first[1]).text == "one");
  CHECK(second.messages[2]->blocks.size() == 1);
}

TEST_CASE("blocks decide: a call runs whatever stop_reason says") {
  for (const auto reason : {StopReason::end_turn, StopReason::tool_use, StopReason::stop_sequence,
                            StopReason::pause_turn, StopReason::unknown}) {
    CAPTURE(model::to_string(reason));
    AgentRig rig;
    rig.add_tool("Look", true, fine);
    rig.provider->mind = [&](const auto&, std::size_t index) {
      return index == 0 ? ReplyBuilder().call("t1", "Look", "{}").stop(reason).end() : done();
    };
    rig.start();
    CHECK(rig.wait_end().ending == Ending::completed);
    CHECK(transitions(rig) == std::vector<std::string>{"next_turn"});
    const auto results = results_in(*rig.provider->request(1).messages.back());
    REQUIRE(results.size() == 1);
    CHECK_FALSE(results[0].is_error);
  }
}

TEST_CASE("a call without any stop reason runs too; tool_use without a call completes") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.provider->mind = [&](const auto&, std::size_t index) {
    return index == 0 ? ReplyBuilder().call("t1", "Look", "{}").end()
                      : ReplyBuilder().text("ok").stop(StopReason::tool_use).end();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.turns == 2);
}

TEST_CASE("maxTurns: the next call is never sent, the last results are kept") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.options.max_turns = 2;
  rig.provider->mind = [&](const auto&, std::size_t index) {
    return ReplyBuilder().call("t" + std::to_string(index), "Look", "{}").end();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::max_turns);
  CHECK(end.turns == 2);
  CHECK(rig.provider->requests() == 2);
  CHECK(results_in(*rig.conversation.history.view().back()).size() == 1);
}

TEST_CASE("a failure before anything is retried, visibly, then gives up") {
  AgentRig rig;
  rig.options.retry.max_attempts = 3;
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().fail(FailureClass::overloaded).take();
  };
  rig.start();
  for (std::size_t attempt = 1; attempt <= 2; ++attempt) {
    rig.provider->wait_requests(attempt);
    REQUIRE(rig.clock.wait_pending(1));
    // Enough for this wait (0.5 s, then 1 s) and not for the next one, which may begin meanwhile.
    rig.clock.advance(std::chrono::milliseconds(600 * static_cast<int>(attempt)));
  }
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::model_error);
  CHECK(end.turns == 1);
  CHECK(rig.provider->requests() == 3);
  CHECK(rig.sink().all<Retrying>().size() == 2);
  CHECK(rig.sink().all<ReplyDiscarded>().empty());
  CHECK(rig.provider->request(1).fresh_connection);
  CHECK(rig.conversation.history.view().size() == 1);
}

TEST_CASE("what was delivered before a retry is closed and discarded") {
  AgentRig rig;
  rig.add_tool("Change", false, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .text("half")
        .open_call("t1", "Change", "{\"a\":")
        .fail(FailureClass::stream_truncated)
        .take();
  };
  rig.start();
  rig.provider->wait_requests(1);
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(std::chrono::seconds(1));
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<ReplyDiscarded>().size() == 1);
  const auto results = rig.sink().all<ToolResult>();
  REQUIRE(results.size() == 1);
  CHECK(results[0].status == ToolStatus::cancelled);
  REQUIRE(rig.conversation.history.view().size() == 2);
}

TEST_CASE("once a call has started there is no retry: its result goes on") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.add_tool("Change", false, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .call("t1", "Look", R"({"a":1})")
        .call("t2", "Change", "{\"b\":2}")
        .open_call("t3", "Change", "{\"c\":")
        .fail(FailureClass::network)
        .take();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == std::vector<std::string>{"reply_cut"});
  const auto results = results_in(*rig.provider->request(1).messages.back());
  REQUIRE(results.size() == 3);
  CHECK_FALSE(results[0].is_error);
  CHECK_FALSE(results[1].is_error);  // the reply had moved on behind it
  CHECK(results[2].is_error);
}

TEST_CASE("a closed unsafe call that is the last block of a broken reply does not run") {
  AgentRig rig;
  bool ran = false;
  rig.add_tool("Look", true, fine);
  rig.add_tool("Change", false, [&](const Json&, const tools::CallContext&) {
    ran = true;
    return tools::text_outcome("changed");
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .call("t1", "Look", R"({"a":1})")
        .call("t2", "Change", "{\"b\":2}")
        .fail(FailureClass::network)
        .take();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK_FALSE(ran);
}

TEST_CASE("a call cut by the output limit never runs, even if it parses") {
  AgentRig rig;
  int runs = 0;
  rig.add_tool("Change", false, [&](const Json&, const tools::CallContext&) {
    ++runs;
    return tools::text_outcome("changed");
  });
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 3) return done();
    return ReplyBuilder()
        .call("t" + std::to_string(index), "Change", "{\"a\":1}")
        .stop(StopReason::max_tokens)
        .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(runs == 0);
  CHECK(transitions(rig) ==
        std::vector<std::string>{"output_limit_raised", "output_resumed", "output_resumed"});
  CHECK(rig.provider->request(0).max_output_tokens == 32'000);
  CHECK(rig.provider->request(1).max_output_tokens == 64'000);
  CHECK(rig.provider->request(1).messages.size() == 1);  // the raised request is the same one
  CHECK(rig.sink().all<ReplyDiscarded>().size() == 1);
  const auto results = results_in(*rig.provider->request(2).messages.back());
  REQUIRE(results.size() == 1);
  CHECK(results[0].is_error);
}

TEST_CASE("with a call started the limit is raised for the next turn only") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.add_tool("Change", false, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .call("t1", "Look", R"({"a":1})")
        .open_call("t2", "Change", "{\"a\":")
        .stop(StopReason::max_tokens)
        .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == std::vector<std::string>{"output_resumed"});
  CHECK(rig.provider->request(1).max_output_tokens == 64'000);
  CHECK(rig.sink().all<ReplyDiscarded>().empty());
}

TEST_CASE("text cut by the limit is asked to go on, three times in a row") {
  AgentRig rig;
  rig.options.model.facts.maximum_output = rig.options.model.facts.default_output;
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().text("and on").stop(StopReason::max_tokens).end();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::output_limit);
  CHECK(end.turns == 4);
  CHECK(last_user_text(rig.provider->request(1)).find("cut off") != std::string::npos);
}

TEST_CASE("an empty reply is nudged once") {
  AgentRig rig;
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().thinking("hm", "sig").stop(StopReason::end_turn).end();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::model_error);
  CHECK(transitions(rig) == std::vector<std::string>{"nudged"});
  CHECK(last_user_text(rig.provider->request(1)).find("empty") != std::string::npos);
}

TEST_CASE("pause_turn sends the reply back unchanged, five times in a row") {
  AgentRig rig;
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().text("searching").stop(StopReason::pause_turn).end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::model_error);
  CHECK(rig.provider->requests() == 6);
  CHECK(rig.provider->request(1).messages.back()->role == Role::assistant);
}

TEST_CASE("a refusal leaves no trace of the reply") {
  AgentRig rig;
  rig.add_tool("Change", false, fine);
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder()
        .text("I could")
        .call("t1", "Change", "{\"a\":1}")
        .stop(StopReason::refusal)
        .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::refused);
  CHECK(rig.sink().all<ReplyDiscarded>().size() == 1);
  CHECK(rig.sink().all<ToolResult>().at(0).status == ToolStatus::cancelled);
  CHECK(rig.conversation.history.view().size() == 1);
}

TEST_CASE("thinking goes back byte for byte, in its place") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .thinking("", "SIG")
        .text("look")
        .call("t1", "Look", "{}")
        .stop(StopReason::tool_use)
        .end();
  };
  rig.start();
  rig.wait_end();
  const auto& said = rig.provider->request(1).messages.at(1)->blocks;
  REQUIRE(said.size() == 3);
  const auto& thinking = std::get<ThinkingBlock>(said[0]);
  CHECK(thinking.thinking.empty());
  CHECK(thinking.signature == "SIG");
}

TEST_CASE("a tool id that is empty or was used before gets a new one") {
  AgentRig rig;
  rig.add_tool("Look", true, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 2) return done();
    return ReplyBuilder().call("same", "Look", "{}").call("", "Look", "{}").end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  std::vector<std::string> ids;
  for (const auto& result : rig.sink().all<ToolResult>()) ids.push_back(result.tool_use_id);
  REQUIRE(ids.size() == 4);
  std::sort(ids.begin(), ids.end());
  CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
  CHECK(std::count(ids.begin(), ids.end(), "same") == 1);
}

TEST_CASE("bad calls become error results that tell the model how to go on") {
  AgentRig rig;
  rig.add_tool("Look", true, fine).required = {"path"};
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 1) return done();
    return ReplyBuilder()
        .call("t1", "Nothing", "{}")
        .call("t2", "Look", "{\"a\":1}")
        .call("t3", "Look", "{\"a\":")
        .call("t4", "Look", "[1]")
        .call("t5", "Look", R"({"path":"x"}{"path":"y"})")
        .stop(StopReason::tool_use)
        .end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto results = results_in(*rig.provider->request(1).messages.back());
  REQUIRE(results.size() == 5);
  const char* told[] = {"Look", "path is missing", "JSON object", "JSON object", "JSON object"};
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(results[i].is_error);
    CHECK(std::get<TextBlock>(results[i].content[0]).text.find(told[i]) != std::string::npos);
  }
  // What could not be parsed is kept as an empty object, never as its text.
  const auto& said = rig.provider->request(1).messages.at(1)->blocks;
  CHECK(std::get<ToolUseBlock>(said.at(2)).input == Json::object());
}

TEST_CASE("streaming and afterReply give the same history") {
  const auto run = [](ToolStart start) {
    AgentRig rig;
    rig.options.tool_start = start;
    rig.add_tool("Look", true, fine);
    rig.add_tool("Change", false, fine);
    rig.provider->mind = [](const auto&, std::size_t index) {
      if (index == 1) return done();
      return ReplyBuilder()
          .text("go")
          .call("t1", "Change", R"({"path":"a"})")
          .call("t2", "Look", "{}")
          .stop(StopReason::tool_use)
          .end();
    };
    rig.start();
    CHECK(rig.wait_end().ending == Ending::completed);
    std::string shape;
    for (const auto& message : rig.conversation.history.view()) {
      for (const auto& block : message->blocks) {
        shape += std::to_string(block.index());
        if (const auto* r = std::get_if<ToolResultBlock>(&block)) shape += r->tool_use_id;
      }
      shape += "|";
    }
    return shape;
  };
  CHECK(run(ToolStart::streaming) == run(ToolStart::after_reply));
}

TEST_CASE("an exception in the engine ends the run as internal_error") {
  AgentRig rig;
  rig.provider->mind = [](const auto&, std::size_t) -> model::ModelEvents {
    throw std::runtime_error("boom");
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::internal_error);
  CHECK(end.message.find("boom") != std::string::npos);
}

TEST_CASE("a slow client pauses nothing for ever: the gate reopens the stream") {
  AgentRig rig;
  rig.gate->close();
  rig.start();
  rig.provider->reply(0, ReplyBuilder().text("one").take());
  rig.sink().wait([](const Event& e) { return std::holds_alternative<TextDelta>(e); }, "delta");
  rig.gate->open();
  rig.provider->reply(0, [] {
    ReplyBuilder more;
    more.next = 1;
    return more.text("two").stop(StopReason::end_turn).end();
  }());
  CHECK(rig.wait_end().ending == Ending::completed);
}

TEST_CASE("an exception in the middle of a reply closes what it had opened") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false, fine);
  class Broken final : public tools::Tool {
   public:
    Broken() { definition_.name = "Broken"; }
    const ToolDefinition& definition() const override { return definition_; }
    Result<Json> coerce(const Json&) const override { throw std::runtime_error("boom"); }
    bool safe(const Json&) const override { return true; }
    Access access(const Json&, const std::string&) const override { return {}; }
    tools::Outcome run(const Json&, const tools::CallContext&) const override { return {}; }

   private:
    ToolDefinition definition_;
  };
  rig.tools.add(std::make_unique<Broken>());
  rig.start();
  ReplyBuilder reply;
  rig.provider->reply(0, reply.call("t1", "Change", R"({"path":"a"})").text("x").take());
  rig.sink().wait([](const Event& e) { return std::holds_alternative<ApprovalRequested>(e); },
                  "question");
  rig.provider->reply(0, reply.call("t2", "Broken", "{}").call("t3", "Change", "{}").end());
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::internal_error);
  CHECK(end.message.find("boom") != std::string::npos);
  std::size_t started = 0;
  for (const auto& use : rig.sink().all<ToolUse>()) {
    if (use.state == ToolUseState::started) ++started;
  }
  CHECK(started == 2);
  CHECK(rig.sink().all<ToolResult>().size() == started);
  CHECK(rig.sink().all<ApprovalResolved>().size() == 1);
}
