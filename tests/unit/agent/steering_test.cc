// What the user says and decides while a run goes on: messages that steer or queue, refusals that
// end the run, circles, budgets, and the model that stands in for one that cannot be had.
#include <doctest/doctest.h>

#include <future>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::FailureClass;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::FakeProvider;
using agentd::test::ReplyBuilder;

namespace {

model::ModelEvents done(const std::string& text = "done") {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

model::ModelEvents call(const std::string& id, const std::string& name,
                        const std::string& input = "{}") {
  return ReplyBuilder().call(id, name, input).stop(StopReason::tool_use).end();
}

model::ModelEvents spending(std::int64_t output_tokens, model::ModelEvents events) {
  Usage usage;
  usage.output_tokens = output_tokens;
  events.insert(events.begin(), model::UsageTold{usage});
  return events;
}

Result<void> send(AgentRig& rig, const std::string& id, Delivery delivery = Delivery::steer) {
  std::promise<Result<void>> answer;
  rig.run->send({id, {TextBlock{"say " + id}}, delivery},
                [&](Result<void> taken) { answer.set_value(std::move(taken)); });
  return answer.get_future().get();
}

Result<void> unsend(AgentRig& rig, const std::string& id) {
  std::promise<Result<void>> answer;
  rig.run->unsend(id, [&](Result<void> taken) { answer.set_value(std::move(taken)); });
  return answer.get_future().get();
}

Result<void> deny(AgentRig& rig, const std::string& id, const std::string& message = {}) {
  std::promise<Result<void>> answer;
  rig.run->approve({id, ApprovalDecision::deny, ApprovalScope::once, std::nullopt, message},
                   [&](Result<void> taken) { answer.set_value(std::move(taken)); });
  return answer.get_future().get();
}

void wait_question(AgentRig& rig, const std::string& id) {
  rig.sink().wait(
      [&](const Event& event) {
        const auto* asked = std::get_if<ApprovalRequested>(&event);
        return asked != nullptr && asked->tool_use_id == id;
      },
      "a question");
}

std::vector<std::string> user_texts(const model::ModelRequest& request) {
  std::vector<std::string> texts;
  for (const auto& message : request.messages) {
    if (message->role != Role::user) continue;
    for (const auto& block : message->blocks) {
      if (const auto* text = std::get_if<TextBlock>(&block)) texts.push_back(text->text);
    }
  }
  return texts;
}

bool holds(const std::vector<std::string>& texts, const std::string& wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

std::vector<std::string> transitions(AgentRig& rig) {
  std::vector<std::string> names;
  for (const auto& turn : rig.sink().all<TurnStarted>()) {
    if (turn.transition) names.emplace_back(to_string(*turn.transition));
  }
  return names;
}

tools::Outcome fine(const Json&, const tools::CallContext&) {
  return tools::text_outcome("fine");
}

}  // namespace

TEST_CASE("a message that steers goes along with the next turn, behind the results") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Change", false, fine);
  rig.start();
  rig.provider->wait_requests(1);
  REQUIRE(send(rig, "m1"));
  REQUIRE(send(rig, "m2"));
  rig.provider->reply(0, call("c1", "Change", R"({"command":"go"})"));
  wait_question(rig, "c1");
  REQUIRE(deny(rig, "c1", "no"));
  rig.provider->wait_requests(2);
  const auto& blocks = rig.provider->request(1).messages.back()->blocks;
  REQUIRE(blocks.size() == 3);
  CHECK(std::holds_alternative<ToolResultBlock>(blocks[0]));
  CHECK(std::get<TextBlock>(blocks[1]).text == "say m1");
  CHECK(std::get<TextBlock>(blocks[2]).text == "say m2");
  const auto attached = rig.sink().all<Attachment>();
  REQUIRE(attached.size() == 2);
  CHECK(attached[0].message_id == "m1");
  CHECK(unsend(rig, "m1").error().code == Code::too_late);
  rig.provider->reply(1, done());
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.not_delivered.empty());
  CHECK(transitions(rig) == std::vector<std::string>{"next_turn"});
}

TEST_CASE(
    "a run that would end goes on with what was said meanwhile: steering first, then the queue, "
    "one at a time") {
  AgentRig rig;
  rig.start();
  rig.provider->wait_requests(1);
  REQUIRE(send(rig, "q1", Delivery::queue));
  REQUIRE(send(rig, "q2", Delivery::queue));
  REQUIRE(send(rig, "s1", Delivery::steer));
  rig.provider->reply(0, done("first"));
  rig.provider->wait_requests(2);
  CHECK(holds(user_texts(rig.provider->request(1)), "say s1"));
  CHECK_FALSE(holds(user_texts(rig.provider->request(1)), "say q1"));
  rig.provider->reply(1, done("second"));
  rig.provider->wait_requests(3);
  CHECK(holds(user_texts(rig.provider->request(2)), "say q1"));
  CHECK_FALSE(holds(user_texts(rig.provider->request(2)), "say q2"));
  rig.provider->reply(2, done("third"));
  rig.provider->wait_requests(4);
  CHECK(holds(user_texts(rig.provider->request(3)), "say q2"));
  rig.provider->reply(3, done("fourth"));
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) ==
        std::vector<std::string>{"message_queued", "message_queued", "message_queued"});
}

TEST_CASE("a message can be taken back until the model is told") {
  AgentRig rig;
  rig.start();
  rig.provider->wait_requests(1);
  REQUIRE(send(rig, "m1"));
  CHECK(unsend(rig, "m1"));
  CHECK(unsend(rig, "m1").error().code == Code::not_found);
  rig.provider->reply(0, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<Attachment>().empty());
}

TEST_CASE("a message the model was never told is handed back with its text") {
  AgentRig rig;
  rig.start();
  rig.provider->wait_requests(1);
  REQUIRE(send(rig, "m1", Delivery::queue));
  REQUIRE(send(rig, "m2"));
  rig.cancel();
  const auto end = rig.wait_end();
  REQUIRE(end.not_delivered.size() == 2);
  CHECK(end.not_delivered[0].id == "m1");
  CHECK(std::get<TextBlock>(end.not_delivered[1].blocks[0]).text == "say m2");
}

TEST_CASE("a plain refusal ends the run where that was asked for; queued siblings are cancelled") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.options.deny_stops = true;
  rig.add_tool("Change", false, fine);
  rig.start();
  rig.provider->wait_requests(1);
  rig.provider->reply(0, ReplyBuilder()
                             .call("c1", "Change", R"({"command":"go"})")
                             .call("c2", "Change", R"({"command":"on"})")
                             .stop(StopReason::tool_use)
                             .end());
  wait_question(rig, "c1");
  REQUIRE(deny(rig, "c1"));
  CHECK(rig.wait_end().ending == Ending::blocked);
  const auto results = rig.sink().all<ToolResult>();
  REQUIRE(results.size() == 2);
  CHECK(results[0].status == ToolStatus::denied);
  CHECK(results[1].status == ToolStatus::cancelled);
  CHECK(rig.sink().all<ApprovalRequested>().size() == rig.sink().all<ApprovalResolved>().size());
}

TEST_CASE("with a word of why, or where nobody can answer, the run goes on") {
  for (const bool somebody : {true, false}) {
    CAPTURE(somebody);
    AgentRig rig;
    rig.conversation.mode = permission::Mode::ask;
    rig.options.deny_stops = true;
    rig.options.approvals = somebody;
    rig.add_tool("Change", false, fine);
    rig.start();
    rig.provider->wait_requests(1);
    rig.provider->reply(0, call("c1", "Change", R"({"command":"go"})"));
    if (somebody) {
      wait_question(rig, "c1");
      REQUIRE(deny(rig, "c1", "use the other file"));
    }
    rig.provider->wait_requests(2);
    rig.provider->reply(1, done());
    CHECK(rig.wait_end().ending == Ending::completed);
  }
}

TEST_CASE("a model that goes in circles: the user is asked before the call that closes one") {
  AgentRig rig;
  rig.conversation.mode = permission::Mode::ask;
  rig.add_tool("Look", true, fine);
  rig.start();
  for (std::size_t turn = 0; turn < 3; ++turn) {
    rig.provider->wait_requests(turn + 1);
    rig.provider->reply(turn, call("c" + std::to_string(turn), "Look"));
  }
  wait_question(rig, "c2");
  CHECK(rig.sink().all<ApprovalRequested>().size() == 1);
  std::promise<Result<void>> answer;
  rig.run->approve({"c2", ApprovalDecision::allow, ApprovalScope::once, std::nullopt, ""},
                   [&](Result<void> taken) { answer.set_value(std::move(taken)); });
  REQUIRE(answer.get_future().get());
  rig.provider->wait_requests(4);
  rig.provider->reply(3, call("c3", "Look"));  // it was wanted: counting begins anew
  rig.provider->wait_requests(5);
  rig.provider->reply(4, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<ApprovalRequested>().size() == 1);
}

TEST_CASE("where nobody can be asked, a circle ends the run with its results kept") {
  AgentRig rig;
  rig.options.approvals = false;
  rig.add_tool("Look", true, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    return call("c" + std::to_string(index), "Look");
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::repeated_calls);
  CHECK(end.turns == 3);
  CHECK(rig.sink().all<ToolResult>().size() == 3);
  CHECK(rig.conversation.history.view().back()->role == Role::user);
}

TEST_CASE("a token budget: asked to go on below nine tenths, until a round adds little") {
  AgentRig rig;
  rig.options.token_budget = 10'000;
  rig.provider->mind = [](const auto&, std::size_t index) {
    return spending(index < 2 ? 2'000 : 100, done());
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.turns == 3);
  CHECK(transitions(rig) == std::vector<std::string>{"budget_continued", "budget_continued"});
}

TEST_CASE("a token budget that is nearly spent is spent") {
  AgentRig rig;
  rig.options.token_budget = 10'000;
  rig.provider->mind = [](const auto&, std::size_t) { return spending(4'500, done()); };
  rig.start();
  CHECK(rig.wait_end().turns == 2);
}

TEST_CASE("a budget in dollars ends the run at the turn that crosses it") {
  AgentRig rig;
  rig.options.model.facts.prices = model::Prices{0, 0, 0, 10};
  rig.options.max_budget_usd = 0.05;
  rig.add_tool("Look", true, fine);
  rig.provider->mind = [](const auto&, std::size_t index) {
    return spending(
        2'000, call("c" + std::to_string(index), "Look", "{\"n\":" + std::to_string(index) + "}"));
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::max_budget);
  CHECK(end.turns == 3);
  CHECK(end.message.find("$0.0600") != std::string::npos);
}

TEST_CASE("a model that cannot be had is stood in for, for this run only") {
  AgentRig rig;
  rig.options.retry.max_attempts = 1;
  auto other = std::make_shared<FakeProvider>();
  other->mind = [](const auto&, std::size_t) { return done("from the other"); };
  model::ResolvedModel fallback = rig.options.model;
  fallback.name = "other/model";
  fallback.provider_name = "other";
  fallback.model = "model";
  fallback.provider = other;
  rig.options.fallback_models = {fallback};
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().text("half").fail(FailureClass::overloaded).take();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(transitions(rig) == std::vector<std::string>{"fallback_model"});
  CHECK(other->request(0).model == "model");
  CHECK(rig.sink().all<ReplyDiscarded>().size() == 1);
  REQUIRE(rig.conversation.history.view().size() == 2);
  rig.provider->mind = [](const auto&, std::size_t) { return done("from the first"); };
  rig.start("again");
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(other->requests() == 1);
}

TEST_CASE("a budget in dollars is not got round by a model without a price") {
  AgentRig rig;
  rig.options.model.facts.prices = model::Prices{0, 0, 0, 10};
  rig.options.max_budget_usd = 1;
  rig.add_tool("Look", true, fine);
  rig.start();
  rig.provider->wait_requests(1);
  model::ResolvedModel other = rig.options.model;
  other.name = "test/unpriced";
  other.facts.prices.reset();
  rig.run->set_model(other);
  rig.provider->reply(0, call("c1", "Look"));
  rig.provider->wait_requests(2);
  rig.provider->reply(1, done());
  rig.wait_end();
  const auto notices = rig.sink().all<Notice>();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].code == "unpriced_model");
  CHECK_FALSE(rig.sink().all<TurnStarted>()[1].model);
}

TEST_CASE("when the last fallback fails too the run ends, and names what failed") {
  AgentRig rig;
  rig.options.retry.max_attempts = 1;
  rig.options.fallback_models = {rig.options.model};
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().fail(FailureClass::overloaded).take();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::model_error);
  CHECK(rig.provider->requests() == 2);
}

TEST_CASE("nothing comes behind a paused reply: what was said waits for the turn after it") {
  AgentRig rig;
  rig.start();
  rig.provider->wait_requests(1);
  REQUIRE(send(rig, "m1"));
  model::ResolvedModel other = rig.options.model;
  other.name = "test/other";
  rig.run->set_model(other);
  rig.provider->reply(0, ReplyBuilder().text("searching").stop(StopReason::pause_turn).end());
  rig.provider->wait_requests(2);
  CHECK(rig.provider->request(1).messages.back()->role == Role::assistant);
  rig.provider->reply(1, done("found"));
  rig.provider->wait_requests(3);
  CHECK(holds(user_texts(rig.provider->request(2)), "say m1"));
  rig.provider->reply(2, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto turns = rig.sink().all<TurnStarted>();
  REQUIRE(turns.size() == 3);
  CHECK(!turns[1].model);
  CHECK(turns[2].model == "test/other");
}

TEST_CASE("a paused reply that fails is tried again with the model it came from") {
  AgentRig rig;
  rig.options.retry.max_attempts = 3;
  rig.start();
  rig.provider->wait_requests(1);
  rig.provider->reply(0, ReplyBuilder().text("searching").stop(StopReason::pause_turn).end());
  rig.provider->wait_requests(2);
  model::ResolvedModel other = rig.options.model;
  other.name = "test/other";
  other.model = "other";
  rig.run->set_model(other);
  rig.provider->reply(1, ReplyBuilder().fail(FailureClass::overloaded).take());
  rig.sink().wait([](const Event& event) { return std::holds_alternative<Retrying>(event); },
                  "a retry");
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(std::chrono::hours(1));
  rig.provider->wait_requests(3);
  CHECK(rig.provider->request(2).model == rig.provider->request(0).model);
  rig.provider->reply(2, done());
  CHECK(rig.wait_end().ending == Ending::completed);
}

TEST_CASE(
    "a model chosen while a request is tried again begins at once, and with all its attempts") {
  AgentRig rig;
  rig.options.retry.max_attempts = 2;
  rig.start();
  rig.provider->wait_requests(1);
  rig.provider->reply(0, ReplyBuilder().fail(FailureClass::overloaded).take());
  rig.sink().wait([](const Event& event) { return std::holds_alternative<Retrying>(event); },
                  "a retry");
  model::ResolvedModel other = rig.options.model;
  other.name = "test/other";
  other.model = "other";
  rig.run->set_model(other);  // the wait is not sat out: the clock stands still
  rig.provider->wait_requests(2);
  CHECK(rig.provider->request(1).model == "other");
  rig.provider->reply(1, ReplyBuilder().fail(FailureClass::overloaded).take());
  rig.sink().wait(
      [](const Event& event) {
        const auto* notice = std::get_if<Notice>(&event);
        return notice != nullptr && notice->code == "model_changed";
      },
      "the new model");
  int retries = 0;
  for (std::size_t index = 0; retries < 2; ++index) {
    const auto event = rig.sink().wait_event(index, {});
    REQUIRE(event);
    if (std::holds_alternative<Retrying>(*event)) ++retries;
  }
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(std::chrono::hours(1));
  rig.provider->wait_requests(3);
  rig.provider->reply(2, done());
  CHECK(rig.wait_end().ending == Ending::completed);
}
