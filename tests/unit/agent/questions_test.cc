// Questions that the model asks the user: put in block order, without a thread, and closed in every
// case.
#include <doctest/doctest.h>

#include <future>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

model::ModelEvents done() {
  return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
}

struct QuestionRig : AgentRig {
  QuestionRig() {
    options.tools.questions = true;
    ask = &add_tool("Ask", true, [](const Json&, const tools::CallContext& context) {
      std::string text = "answers:";
      for (const auto& answer : context.answers) {
        for (const auto& label : answer.labels) text += " " + label;
        text += answer.text;
      }
      return tools::text_outcome(text);
    });
    ask->asks = {{"Which?", "Which", {{"this", "", {}}, {"that", "", {}}}, false}};
    add_tool("Change", false,
             [](const Json&, const tools::CallContext&) { return tools::text_outcome("changed"); });
    add_tool("Look", true,
             [](const Json&, const tools::CallContext&) { return tools::text_outcome("seen"); });
  }

  void wait_asked(const std::string& id) {
    sink().wait(
        [&](const Event& event) {
          const auto* asked = std::get_if<QuestionAsked>(&event);
          return asked != nullptr && asked->tool_use_id == id;
        },
        "a question");
  }

  Result<void> answer(AnswersGiven given) {
    std::promise<Result<void>> taken;
    run->answer_question(std::move(given),
                         [&](Result<void> result) { taken.set_value(std::move(result)); });
    return taken.get_future().get();
  }

  ToolResult result_of(const std::string& id) {
    for (const auto& result : sink().all<ToolResult>()) {
      if (result.tool_use_id == id) return result;
    }
    FAIL("no result of " << id);
    return {};
  }

  std::string text_of(const std::string& id) {
    const ToolResult result = result_of(id);
    return std::get<TextBlock>(result.content.front()).text;
  }

  test::StandInTool* ask = nullptr;
};

AnswersGiven with_label(const std::string& id, const std::string& label) {
  return {id, {{{label}, ""}}, false, {}};
}

std::size_t count_running(AgentRig& rig) {
  std::size_t count = 0;
  for (const auto& use : rig.sink().all<ToolUse>()) {
    if (use.state == ToolUseState::running) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a call that asks runs once it is answered, with the answers") {
  QuestionRig rig;
  rig.start();
  rig.provider->reply(
      0, ReplyBuilder().call("t1", "Ask", R"({"a":1})").stop(StopReason::tool_use).end());
  rig.wait_asked("t1");
  CHECK(count_running(rig) == 0);
  CHECK(rig.sink().all<QuestionAsked>().front().questions.front().options.size() == 2);

  const auto wrong = rig.answer(with_label("t1", "neither"));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Code::invalid_input);
  CHECK(wrong.error().where == "params.answers[0].labels[0]");
  CHECK(rig.answer(with_label("t2", "this")).error().code == Code::unknown_call);
  CHECK(rig.answer(with_label("t1", "that")));
  rig.provider->wait_requests(2);
  CHECK(rig.answer(with_label("t1", "that")).error().code == Code::too_late);
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.text_of("t1") == "answers: that");
  CHECK(rig.sink().all<ApprovalRequested>().empty());
  CHECK(rig.sink().all<QuestionResolved>().front().by == QuestionBy::user);
}

TEST_CASE("reads go on beside a question, changes behind it wait, several may be open") {
  QuestionRig rig;
  rig.start();
  rig.provider->reply(0, ReplyBuilder()
                             .call("t1", "Ask", R"({"a":1})")
                             .call("t2", "Ask", R"({"a":2})")
                             .call("t3", "Look", R"({"a":1})")
                             .call("t4", "Change", R"({"a":1})")
                             .stop(StopReason::tool_use)
                             .end());
  rig.wait_asked("t1");
  rig.wait_asked("t2");
  rig.sink().wait(
      [](const Event& event) {
        const auto* result = std::get_if<ToolResult>(&event);
        return result != nullptr && result->tool_use_id == "t3";
      },
      "the read");
  CHECK(rig.sink().all<ToolResult>().size() == 1);
  CHECK(rig.answer(with_label("t2", "this")));
  CHECK(rig.answer(with_label("t1", "that")));
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<QuestionAsked>().front().tool_use_id == "t1");
  CHECK(rig.sink().all<ToolResult>().back().tool_use_id == "t4");
}

TEST_CASE("a rejection cancels what is queued behind it; a plain one may end the run") {
  for (const bool with_words : {true, false}) {
    CAPTURE(with_words);
    QuestionRig rig;
    rig.options.deny_stops = true;
    rig.start();
    rig.provider->reply(0, ReplyBuilder()
                               .call("t1", "Ask", R"({"a":1})")
                               .call("t2", "Change", R"({"a":1})")
                               .stop(StopReason::tool_use)
                               .end());
    rig.wait_asked("t1");
    CHECK(rig.answer({"t1", {}, true, with_words ? "not now" : ""}));
    if (with_words) rig.provider->reply(1, done());
    CHECK(rig.wait_end().ending == (with_words ? Ending::completed : Ending::blocked));
    CHECK(rig.result_of("t1").status == ToolStatus::denied);
    CHECK(rig.result_of("t2").status == ToolStatus::cancelled);
    if (with_words) CHECK(rig.text_of("t1").find("They say: not now") != std::string::npos);
  }
}

TEST_CASE("a cancel, and nobody left to answer, close the question") {
  for (const bool cancelled : {true, false}) {
    CAPTURE(cancelled);
    QuestionRig rig;
    rig.start();
    rig.provider->reply(
        0, ReplyBuilder().call("t1", "Ask", R"({"a":1})").stop(StopReason::tool_use).end());
    rig.wait_asked("t1");
    if (cancelled) {
      rig.cancel();
    } else {
      rig.run->withdraw_approvals();
      rig.provider->reply(
          1, ReplyBuilder().call("t2", "Ask", R"({"a":2})").stop(StopReason::tool_use).end());
      rig.provider->reply(2, done());
    }
    CHECK(rig.wait_end().ending == (cancelled ? Ending::aborted_tools : Ending::completed));
    REQUIRE(rig.sink().all<QuestionAsked>().size() == 1);
    REQUIRE(rig.sink().all<QuestionResolved>().size() == 1);
    CHECK(rig.sink().all<QuestionResolved>().front().by ==
          (cancelled ? QuestionBy::cancelled : QuestionBy::no_approver));
    const auto status = cancelled ? ToolStatus::cancelled : ToolStatus::denied;
    for (const auto& result : rig.sink().all<ToolResult>()) CHECK(result.status == status);
  }
}

TEST_CASE("a reply that breaks off takes its question with it, and it is asked anew") {
  QuestionRig rig;
  rig.start();
  rig.provider->reply(0, ReplyBuilder().call("t1", "Ask", R"({"a":1})").take());
  rig.wait_asked("t1");
  rig.provider->reply(0, ReplyBuilder().fail(model::FailureClass::network).take());
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(std::chrono::minutes(1));
  rig.provider->reply(
      1, ReplyBuilder().call("t2", "Ask", R"({"a":1})").stop(StopReason::tool_use).end());
  rig.wait_asked("t2");
  CHECK(rig.sink().all<QuestionResolved>().front().by == QuestionBy::cancelled);
  CHECK(rig.answer(with_label("t2", "this")));
  rig.provider->reply(2, done());
  CHECK(rig.wait_end().ending == Ending::completed);
}

TEST_CASE("where nobody could answer the tool is neither offered nor known") {
  for (const bool questions : {true, false}) {
    CAPTURE(questions);
    QuestionRig rig;
    rig.options.tools.questions = questions;
    rig.start();
    rig.provider->wait_requests(1);
    const auto tools = rig.provider->request(0).tools;
    bool offered = false;
    for (const auto& tool : *tools) offered = offered || tool.name == "Ask";
    CHECK(offered == questions);
    rig.provider->reply(
        0, ReplyBuilder().call("t1", "Ask", R"({"a":1})").stop(StopReason::tool_use).end());
    if (questions) {
      rig.wait_asked("t1");
      CHECK(rig.answer(with_label("t1", "this")));
    }
    rig.provider->reply(1, done());
    CHECK(rig.wait_end().ending == Ending::completed);
    CHECK((rig.text_of("t1").find("There is no tool named `Ask`") == 0) == !questions);
    CHECK(rig.provider->request(1).tools == tools);  // the same bytes
  }
}
