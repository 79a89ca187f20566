// Compaction in the loop: before the window is full, when it is, by hand; what the model sees
// afterwards; and the ways in which it fails.
#include <doctest/doctest.h>

#include <future>

#include "context/view.h"
#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::FailureClass;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

constexpr std::int64_t kWindow = 20'000;

model::ModelEvents done(const std::string& text = "done") {
  return ReplyBuilder().text(text).stop(StopReason::end_turn).end();
}

model::ModelEvents full() {
  return ReplyBuilder().fail(FailureClass::context_overflow).take();
}

model::ModelEvents call(std::size_t number) {
  return ReplyBuilder()
      .call("c" + std::to_string(number), "Look", "{\"n\":" + std::to_string(number) + "}")
      .stop(StopReason::tool_use)
      .end();
}

std::string last_text(const model::ModelRequest& request) {
  const auto* text = std::get_if<TextBlock>(&request.messages.back()->blocks.back());
  return text != nullptr ? text->text : "";
}

bool asks_for_summary(const model::ModelRequest& request) {
  return last_text(request).find("summary") != std::string::npos;
}

std::string first_text(const model::ModelRequest& request) {
  return std::get<TextBlock>(request.messages.front()->blocks.front()).text;
}

struct CompactionRig : AgentRig {
  CompactionRig() {
    options.model.facts.context_window = kWindow;
    options.model.facts.default_output = 1'000;
    options.retry.max_attempts = 1;
    add_tool("Look", true, [](const Json&, const tools::CallContext&) {
      return tools::text_outcome(std::string(12'000, 'x'));  // 3 000 tokens
    });
  }
  std::vector<Compacted> compacted() { return sink().all<Compacted>(); }
};

}  // namespace

TEST_CASE("a conversation that nears the window is summed up before the next request") {
  CompactionRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (asks_for_summary(request)) return done("The sum of it.");
    return index < 8 ? call(index) : done();
  };
  rig.start("the task");
  CHECK(rig.wait_end().ending == Ending::completed);
  REQUIRE_FALSE(rig.compacted().empty());
  const Compacted first = rig.compacted().front();
  CHECK(first.trigger == CompactionTrigger::automatic);
  CHECK(first.fault.empty());
  CHECK(first.tokens_after < first.tokens_before);
  // The request after the summary begins with it, and still holds what the user asked for.
  std::size_t summary = 0;
  while (!asks_for_summary(rig.provider->request(summary))) ++summary;
  const auto next = rig.provider->request(summary + 1);
  CHECK(first_text(next).find("The sum of it.") != std::string::npos);
  bool task_kept = false;
  for (const auto& message : next.messages) {
    for (const auto& block : message->blocks) {
      const auto* text = std::get_if<TextBlock>(&block);
      task_kept =
          task_kept || (text != nullptr && text->text.find("the task") != std::string::npos);
    }
  }
  CHECK(task_kept);
  // The summary's request is the conversation as it stood: the prompt cache is hit.
  const auto asked = rig.provider->request(summary);
  const auto before = rig.provider->request(summary - 1);
  for (std::size_t i = 0; i + 1 < before.messages.size(); ++i) {
    CHECK(asked.messages[i] == before.messages[i]);
  }
  CHECK(rig.sink().all<TextDelta>().size() == 1);  // nothing of the summary is shown
  CHECK(rig.conversation.history.log().size() > rig.conversation.history.view().size());
}

TEST_CASE("a request that does not fit is made again after a compaction, once") {
  CompactionRig rig;
  int refused = 0;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t) {
    if (asks_for_summary(request)) return done("The sum of it.");
    return ++refused == 1 ? full() : done();
  };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.turns == 2);
  REQUIRE(rig.compacted().size() == 1);
  CHECK(rig.compacted()[0].trigger == CompactionTrigger::window_exceeded);
  CHECK(rig.sink().all<TurnStarted>()[1].transition == Transition::compacted);
}

TEST_CASE("a reply that filled the window is gone on with: the request ends in a user's message") {
  CompactionRig rig;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t index) {
    if (asks_for_summary(request)) return done("The sum of it.");
    if (index > 0) return done();
    return ReplyBuilder().text("half").stop(StopReason::context_window_exceeded).end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto last = rig.provider->request(rig.provider->requests() - 1);
  CHECK(last.messages.back()->role == Role::user);
}

TEST_CASE(
    "what does not fit even then ends the run; so does the next start, unasked, until it is summed "
    "up by hand") {
  CompactionRig rig;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t) {
    return asks_for_summary(request) ? done("The sum of it.") : full();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::prompt_too_long);
  const std::size_t before = rig.provider->requests();
  rig.start("again");
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::blocking_limit);
  CHECK(end.turns == 0);
  CHECK(rig.provider->requests() == before);
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t) {
    return asks_for_summary(request) ? done("The sum of it.") : done();
  };
  rig.options.compaction = "";
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  rig.options.compaction.reset();
  rig.start("again");
  CHECK(rig.wait_end().ending == Ending::completed);
}

TEST_CASE("with compaction off the run ends where the window does, and so does the next, unasked") {
  CompactionRig rig;
  rig.options.auto_compact = false;
  rig.provider->mind = [](const auto&, std::size_t) { return full(); };
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::blocking_limit);
  CHECK(end.message.find("autoCompact") != std::string::npos);
  rig.start("again");
  CHECK(rig.wait_end().ending == Ending::blocking_limit);
  CHECK(rig.provider->requests() == 1);
  rig.options.model.facts.context_window *= 2;  // a model with a larger window is tried
  rig.start();
  rig.wait_end();
  CHECK(rig.provider->requests() == 2);
}

TEST_CASE("a summary that does not fit either drops the oldest rounds") {
  CompactionRig rig;
  int refused = 0;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t index) {
    if (asks_for_summary(request)) return ++refused < 3 ? full() : done("The sum of it.");
    return index < 4 ? call(index) : index == 4 ? full() : done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  REQUIRE(rig.compacted().size() == 1);
  CHECK(rig.compacted()[0].fault.empty());
  CHECK(refused == 3);
  CHECK(rig.provider->request(7).messages.size() < rig.provider->request(5).messages.size());
}

TEST_CASE("a summary that fails is told, and does not stop a conversation that still fits") {
  CompactionRig rig;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t index) {
    if (asks_for_summary(request)) return done("  ");
    return index < 6 ? call(index) : done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  REQUIRE_FALSE(rig.compacted().empty());
  for (const auto& each : rig.compacted()) CHECK(each.fault == "The model gave no summary.");
  CHECK(rig.compacted().size() <= 3);  // the breaker
}

TEST_CASE("a cancel while the summary is written ends the run, and nothing is replaced") {
  CompactionRig rig;
  rig.provider->mind = nullptr;
  rig.start();
  rig.provider->wait_requests(1);
  rig.provider->reply(0, full());
  rig.provider->wait_requests(2);
  REQUIRE(asks_for_summary(rig.provider->request(1)));
  rig.cancel();
  CHECK(rig.wait_end().ending == Ending::aborted_streaming);
  CHECK(rig.conversation.history.changes().empty());
  REQUIRE(rig.compacted().size() == 1);
  CHECK_FALSE(rig.compacted()[0].fault.empty());
}

TEST_CASE("by hand: a run that only sums up, with the user's wishes") {
  CompactionRig rig;
  rig.provider->mind = [](const auto&, std::size_t) { return done("an answer"); };
  rig.start("one");
  rig.wait_end();
  rig.options.compaction = "Look after the names.";
  rig.sink_owner = std::make_unique<test::RecordingSink>();
  rig.start();
  const auto end = rig.wait_end();
  CHECK(end.ending == Ending::completed);
  CHECK(end.turns == 0);
  CHECK(last_text(rig.provider->request(1)).find("Look after the names.") != std::string::npos);
  REQUIRE(rig.compacted().size() == 1);
  CHECK(rig.compacted()[0].trigger == CompactionTrigger::manual);
  const auto& head = rig.conversation.history.view().front()->blocks.front();
  CHECK(std::get<TextBlock>(head).text.find("an answer") != std::string::npos);
}

TEST_CASE("a summary that its limit cut is asked for once more, shorter") {
  CompactionRig rig;
  int summaries = 0;
  rig.provider->mind = [&](const model::ModelRequest& request, std::size_t index) {
    if (!asks_for_summary(request)) return index == 0 ? full() : done();
    if (++summaries == 2) return done("Short and whole.");
    return ReplyBuilder().text("Long and").stop(StopReason::max_tokens).end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(summaries == 2);
  CHECK(last_text(rig.provider->request(1)).find("500 words") == std::string::npos);
  CHECK(last_text(rig.provider->request(2)).find("500 words") != std::string::npos);
  CHECK(first_text(rig.provider->request(3)).find("Short and whole.") != std::string::npos);
  CHECK(rig.sink().all<Notice>().empty());
}

TEST_CASE("a summary that is cut again is taken as it is, marked") {
  CompactionRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (!asks_for_summary(request)) return index == 0 ? full() : done();
    return ReplyBuilder().text("All but the").stop(StopReason::max_tokens).end();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  const std::string head = first_text(rig.provider->request(3));
  CHECK(head.find("All but the\n[... the summary was cut here") != std::string::npos);
  REQUIRE(rig.sink().all<Notice>().size() == 1);
  CHECK(rig.sink().all<Notice>()[0].code == "summary_cut");
}

TEST_CASE("a summary of nothing but a cut is none") {
  CompactionRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t) {
    if (!asks_for_summary(request)) return full();
    return ReplyBuilder().thinking("hm", "S").stop(StopReason::max_tokens).end();
  };
  rig.start();
  rig.wait_end();
  REQUIRE(rig.compacted().size() == 1);
  CHECK(rig.compacted()[0].fault.find("cut") != std::string::npos);
}

TEST_CASE("a summary that does not fit is asked for without images before rounds are dropped") {
  CompactionRig rig;
  rig.add_tool("Shot", true, [](const Json&, const tools::CallContext&) {
    tools::Outcome outcome = tools::text_outcome("a picture");
    outcome.content.emplace_back(ImageBlock{"image/png", "QUJD"});
    return outcome;
  });
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (index == 0) return ReplyBuilder().call("c1", "Shot", "{}").stop(StopReason::tool_use).end();
    if (index == 1 || (index == 2 && asks_for_summary(request))) return full();
    return done("The sum of it.");
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(context::has_images(rig.provider->request(2).messages));
  CHECK_FALSE(context::has_images(rig.provider->request(3).messages));
  CHECK(rig.provider->request(3).messages.size() == rig.provider->request(2).messages.size());
}

TEST_CASE("images of the prompt that is under way survive a compaction") {
  CompactionRig rig;
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (asks_for_summary(request)) return done("The sum of it.");
    return index < 8 ? call(index) : done();
  };
  rig.start(std::vector<Block>{TextBlock{"what is wrong here?"}, ImageBlock{"image/png", "QUJD"}});
  CHECK(rig.wait_end().ending == Ending::completed);
  REQUIRE_FALSE(rig.compacted().empty());
  CHECK(context::has_images(rig.conversation.history.view()));
}

TEST_CASE("in small windows what was read lately does not fill the room that was made") {
  for (const std::int64_t window : {8'000, 16'000, 32'000}) {
    CAPTURE(window);
    CompactionRig rig;
    rig.options.model.facts.context_window = window;
    for (const char* path : {"/a", "/b", "/c", "/d", "/e"}) {
      rig.conversation.read_set->remember(path, std::string(60'000, 'x'));
    }
    rig.provider->mind = [](const model::ModelRequest& request, std::size_t) {
      return asks_for_summary(request) ? done(std::string(100'000, 's')) : done();
    };
    rig.start(std::string(200'000, 'p'));
    CHECK(rig.wait_end().ending == Ending::completed);
    REQUIRE(rig.compacted().size() == 1);
    CHECK(rig.compacted()[0].tokens_after < window * 3 / 4);
  }
}

TEST_CASE("another model does not get the thinking that the one before had signed") {
  AgentRig rig;
  rig.provider->mind = [](const auto&, std::size_t) {
    return ReplyBuilder().thinking("hm", "SIG").text("done").stop(StopReason::end_turn).end();
  };
  rig.start("one");
  rig.wait_end();
  rig.start("two");
  rig.wait_end();
  const auto thinking_in = [](const model::ModelRequest& request) {
    int count = 0;
    for (const auto& message : request.messages) {
      for (const auto& block : message->blocks) {
        count += std::holds_alternative<ThinkingBlock>(block) ? 1 : 0;
      }
    }
    return count;
  };
  CHECK(thinking_in(rig.provider->request(1)) == 1);
  rig.options.model.name = "test/other";
  rig.start("three");
  rig.wait_end();
  CHECK(thinking_in(rig.provider->request(2)) == 0);
}
