// A request that is refused for a part of it: made again without that part, once, and told.
#include <doctest/doctest.h>

#include "context/view.h"
#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::FailureClass;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

const ImageBlock kImage{"image/png", "QUJD"};

model::ModelEvents done(const std::string& text = "done") {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

model::ModelEvents refused(FailureClass failure_class) {
  return ReplyBuilder().fail(failure_class).take();
}

model::ModelEvents limit_refused(std::int64_t allowed) {
  auto events = refused(FailureClass::output_limit_refused);
  std::get<model::Failed>(events.back()).failure.allowed_output = allowed;
  return events;
}

std::vector<std::string> transitions(AgentRig& rig) {
  std::vector<std::string> names;
  for (const auto& turn : rig.sink().all<TurnStarted>()) {
    if (turn.transition) names.emplace_back(to_string(*turn.transition));
  }
  return names;
}

const std::vector<std::string> kRepairedOnce{"request_repaired"};

std::string only_notice(AgentRig& rig) {
  const auto notices = rig.sink().all<Notice>();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].level == NoticeLevel::warning);
  return notices[0].code;
}

tools::Outcome picture(const Json&, const tools::CallContext&) {
  tools::Outcome outcome = tools::text_outcome("a picture");
  outcome.content.emplace_back(kImage);
  return outcome;
}

model::ModelEvents look(const std::string& id) {
  return ReplyBuilder()
      .call(id, "Look", R"({"id":")" + id + R"("})")
      .stop(StopReason::tool_use)
      .end();
}

}  // namespace

TEST_CASE("a refused image is replaced by a note, and the request is made again") {
  AgentRig rig;
  rig.add_tool("Look", true, picture);
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (index == 0) return look("c1");
    return context::has_images(request.messages) ? refused(FailureClass::image_refused) : done();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.turns == 3);
  CHECK(transitions(rig) == std::vector<std::string>{"next_turn", "request_repaired"});
  CHECK(only_notice(rig) == "image_refused");
  const auto request = rig.provider->request(2);
  const auto& result = std::get<ToolResultBlock>(request.messages.back()->blocks.front());
  REQUIRE(result.content.size() == 2);
  CHECK(std::get<TextBlock>(result.content[1]).text.find("refused") != std::string::npos);
}

TEST_CASE("an image of the prompt is replaced too, and the text beside it stays") {
  AgentRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t) {
    return context::has_images(request.messages) ? refused(FailureClass::image_refused) : done();
  };
  rig.start(std::vector<Block>{TextBlock{"what is this?"}, kImage});
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == kRepairedOnce);
  const auto& blocks = rig.provider->request(1).messages.front()->blocks;
  CHECK(std::get<TextBlock>(blocks[blocks.size() - 2]).text == "what is this?");
  CHECK(context::has_images(rig.conversation.history.log()));
}

TEST_CASE("each further image that is refused is taken out, as long as the work moves on") {
  AgentRig rig;
  rig.add_tool("Look", true, picture);
  int replies = 0;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t) {
    if (context::has_images(request.messages)) return refused(FailureClass::image_refused);
    return ++replies < 4 ? look("c" + std::to_string(replies)) : done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<Notice>().size() == 3);
}

TEST_CASE("an image refused though none is left ends the run, and the words say what to do") {
  AgentRig rig;
  rig.add_tool("Look", true, picture);
  rig.provider->mind = [](const model::ModelRequest&, std::size_t index) {
    return index == 0 ? look("c1") : refused(FailureClass::image_refused);
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::image_error);
  CHECK(outcome_of(end.ending) == OutcomeKind::error);
  CHECK(end.message.find("smaller images") != std::string::npos);
  CHECK(rig.provider->requests() == 3);
}

TEST_CASE("a body that is too large loses its images before it is summed up") {
  AgentRig rig;
  rig.add_tool("Look", true, picture);
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (index == 0) return look("c1");
    return context::has_images(request.messages) ? refused(FailureClass::too_large) : done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<Compacting>().empty());
  CHECK(only_notice(rig) == "image_refused");
}

TEST_CASE("refused thinking is left out of the view, the log keeps it") {
  AgentRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (index == 0) {
      return ReplyBuilder().thinking("hm", "SIG").text("a").stop(StopReason::end_turn).end();
    }
    return context::has_thinking(request.messages) ? refused(FailureClass::thinking_refused)
                                                   : done();
  };
  rig.start("one");
  rig.wait_end();
  rig.sink_owner = std::make_unique<test::RecordingSink>();
  rig.start("two");
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == kRepairedOnce);
  CHECK(only_notice(rig) == "thinking_refused");
  CHECK(context::has_thinking(rig.conversation.history.log()));
}

TEST_CASE("where no thinking was sent it is no longer asked for") {
  AgentRig rig;
  rig.options.model.facts.adaptive_thinking = true;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t) {
    return request.adaptive_thinking ? refused(FailureClass::thinking_refused) : done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == kRepairedOnce);
}

TEST_CASE("thinking that is refused once more ends the run") {
  AgentRig rig;
  rig.options.model.facts.adaptive_thinking = true;
  rig.provider->mind = [](const auto&, std::size_t) {
    return refused(FailureClass::thinking_refused);
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::model_error);
  CHECK(rig.provider->requests() == 2);
}

TEST_CASE("a learnt output limit is asked for, also by later runs, and never raised above") {
  AgentRig rig;
  rig.options.model.output_limits = std::make_shared<model::OutputLimits>();
  rig.options.model.facts.default_output = 32'000;
  rig.options.model.facts.maximum_output = 64'000;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (request.max_output_tokens > 8'192) return limit_refused(8'192);
    if (index == 1) return ReplyBuilder().text("half").stop(StopReason::max_tokens).end();
    return done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == std::vector<std::string>{"request_repaired", "output_resumed"});
  CHECK(only_notice(rig) == "output_limit_refused");
  for (std::size_t i : {1U, 2U}) CHECK(rig.provider->request(i).max_output_tokens == 8'192);
  const auto facts =
      rig.options.model.output_limits->applied(rig.options.model.name, rig.options.model.facts);
  CHECK(facts.default_output == 8'192);
  CHECK(facts.maximum_output == 8'192);
  CHECK(rig.options.model.output_limits->applied("other", model::ModelFacts()).maximum_output ==
        64'000);
}

TEST_CASE("a limit that is no lower than what was asked for teaches nothing") {
  AgentRig rig;
  rig.options.model.facts.default_output = 8'192;
  rig.provider->mind = [](const auto&, std::size_t) { return limit_refused(8'192); };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::model_error);
  CHECK(rig.provider->requests() == 1);
}

TEST_CASE("a summary's request is repaired too") {
  AgentRig rig;
  rig.add_tool("Look", true, picture);
  rig.provider->mind = [](const model::ModelRequest&, std::size_t index) {
    return index == 0 ? look("c1") : done();
  };
  rig.start();
  rig.wait_end();
  rig.sink_owner = std::make_unique<test::RecordingSink>();
  rig.options.compaction = "";
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t) {
    return context::has_images(request.messages) ? refused(FailureClass::image_refused)
                                                 : done("The sum of it.");
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<Compacted>().at(0).fault.empty());
  CHECK(only_notice(rig) == "image_refused");
}

TEST_CASE("a model that was chosen meanwhile stands in before any fallback") {
  AgentRig rig;
  rig.options.retry.max_attempts = 1;
  const auto other = [&](const std::string& name) {
    model::ResolvedModel model = rig.options.model;
    model.name = name;
    model.model = name;
    return model;
  };
  rig.options.fallback_models = {other("fallback")};
  rig.start();
  rig.provider->wait_requests(1);
  rig.run->set_model(other("chosen"));
  rig.provider->reply(0, refused(FailureClass::overloaded));
  rig.provider->wait_requests(2);
  CHECK(rig.provider->request(1).model == "chosen");
  // The fallback is still there for it.
  rig.provider->reply(1, refused(FailureClass::overloaded));
  rig.provider->wait_requests(3);
  CHECK(rig.provider->request(2).model == "fallback");
  rig.provider->reply(2, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(transitions(rig) == std::vector<std::string>{"fallback_model", "fallback_model"});
}

TEST_CASE("a model that was chosen meanwhile needs no list of fallbacks") {
  AgentRig rig;
  rig.options.retry.max_attempts = 1;
  model::ResolvedModel chosen = rig.options.model;
  chosen.name = "chosen";
  chosen.model = "chosen";
  rig.start();
  rig.provider->wait_requests(1);
  rig.run->set_model(chosen);
  rig.provider->reply(0, refused(FailureClass::overloaded));
  rig.provider->wait_requests(2);
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<TurnStarted>()[1].model == "chosen");
}
