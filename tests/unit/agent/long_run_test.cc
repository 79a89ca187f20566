// A run that goes on for so long that its window fills again and again: it is summed up each time,
// what the model is sent stays small, and what the user says meanwhile is told all the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <future>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

model::ModelEvents done(const std::string& text) {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

model::ModelEvents call(std::size_t number) {
  return ReplyBuilder()
      .call("c" + std::to_string(number), "Look", "{\"n\":" + std::to_string(number) + "}")
      .stop(StopReason::tool_use)
      .end();
}

bool holds(const Message& message, const std::string& words) {
  return std::any_of(message.blocks.begin(), message.blocks.end(), [&](const Block& block) {
    const auto* text = std::get_if<TextBlock>(&block);
    return text != nullptr && text->text.find(words) != std::string::npos;
  });
}

bool holds(const model::ModelRequest& request, const std::string& words) {
  return std::any_of(request.messages.begin(), request.messages.end(),
                     [&](const MessagePtr& message) { return holds(*message, words); });
}

bool asks_for_summary(const model::ModelRequest& request) {
  return holds(*request.messages.back(), "summary");
}

// Every look around costs 3 000 tokens of a window of 20 000.
struct LongRunRig : AgentRig {
  LongRunRig() {
    options.model.facts.context_window = 20'000;
    options.model.facts.default_output = 1'000;
    options.retry.max_attempts = 1;
    add_tool("Look", true, [](const Json&, const tools::CallContext&) {
      return tools::text_outcome(std::string(12'000, 'x'));
    });
  }
};

}  // namespace

TEST_CASE("a window that fills again and again is summed up each time") {
  constexpr std::size_t kRequests = 30;
  LongRunRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (asks_for_summary(request)) return done("Sum number " + std::to_string(index) + ".");
    return index < kRequests ? call(index) : done("done");
  };
  rig.start("the task");
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto compacted = rig.sink().all<Compacted>();
  CHECK(compacted.size() >= 3);
  for (const Compacted& each : compacted) {
    CHECK(each.fault.empty());
    CHECK(each.tokens_after < each.tokens_before);
  }
  std::string newest;  // the sum that every later request begins with, and no other
  for (std::size_t i = 0; i < rig.provider->requests(); ++i) {
    CAPTURE(i);
    const auto request = rig.provider->request(i);
    CHECK(holds(request, "the task"));
    if (!newest.empty() && !asks_for_summary(request)) {
      CHECK(holds(*request.messages.front(), newest));
    }
    if (asks_for_summary(request)) newest = "Sum number " + std::to_string(i) + ".";
  }
}

TEST_CASE("what steers while a summary is written is not part of it, and told with the next turn") {
  LongRunRig rig;
  rig.start("the task");
  std::size_t index = 0;
  for (;; ++index) {
    rig.provider->wait_requests(index + 1);
    if (asks_for_summary(rig.provider->request(index))) break;
    rig.provider->reply(index, call(index));
  }
  std::promise<bool> taken;
  rig.run->send({"m1", {TextBlock{"use tabs"}}, Delivery::steer},
                [&](Result<void> result) { taken.set_value(result.has_value()); });
  CHECK(taken.get_future().get());
  CHECK_FALSE(holds(rig.provider->request(index), "use tabs"));
  rig.provider->reply(index, done("The sum of it."));

  rig.provider->wait_requests(index + 2);
  const auto next = rig.provider->request(index + 1);
  CHECK(holds(*next.messages.front(), "The sum of it."));
  CHECK(holds(*next.messages.back(), "use tabs"));
  rig.provider->reply(index + 1, done("done"));
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.not_delivered.empty());
  CHECK(rig.sink().all<Attachment>().size() == 1);
}
