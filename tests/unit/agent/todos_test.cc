// The model's todo list in the loop: kept by the session, told when it changes, shown again when it
// was forgotten and after a compaction.
#include <doctest/doctest.h>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::Barrier;
using agentd::test::ReplyBuilder;

namespace {

model::ModelEvents done() {
  return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
}

model::ModelEvents call(std::size_t number, const std::string& name, const std::string& input) {
  return ReplyBuilder()
      .call("c" + std::to_string(number), name, input)
      .stop(StopReason::tool_use)
      .end();
}

std::string todo(const std::string& content) {
  return R"({"todo":")" + content + R"("})";
}

// Plan {"todo": content} writes a list of one; Look does nothing.
struct TodoRig : AgentRig {
  TodoRig() {
    add_tool("Plan", true, [](const Json& input, const tools::CallContext&) {
      auto outcome = tools::text_outcome("saved");
      const bool is_done = input.contains("done");
      outcome.todos = std::vector<Todo>{{input["todo"].get<std::string>(),
                                         is_done ? TodoStatus::completed : TodoStatus::in_progress,
                                         "doing it"}};
      return outcome;
    });
    add_tool("Look", true,
             [](const Json&, const tools::CallContext&) { return tools::text_outcome("seen"); });
  }

  /// Turns (from 1) whose request shows the list for the first time.
  std::vector<std::size_t> shown_in() {
    std::vector<std::size_t> turns;
    std::size_t before = 0;
    for (std::size_t i = 0; i < provider->requests(); ++i) {
      std::size_t count = 0;
      for (const auto& message : provider->request(i).messages) {
        for (const auto& block : message->blocks) {
          const auto* text = std::get_if<TextBlock>(&block);
          if (text != nullptr && text->text.find("kind=\"todo\"") != std::string::npos) ++count;
        }
      }
      if (count > before) turns.push_back(i + 1);
      before = count;
    }
    return turns;
  }
};

}  // namespace

TEST_CASE("the session keeps the list, and each change of it is told once") {
  TodoRig rig;
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 0) return call(0, "Plan", todo("a"));
    if (index == 1) return call(1, "Plan", todo("a"));
    if (index == 2) return call(2, "Plan", todo("b"));
    return done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  const auto told = rig.sink().all<TodosChanged>();
  REQUIRE(told.size() == 2);
  CHECK(told[0].todos.front().content == "a");
  CHECK(told[1].todos.front().content == "b");
  REQUIRE(rig.conversation.todos.items.size() == 1);
  CHECK(rig.conversation.todos.items.front().content == "b");
}

TEST_CASE("of two lists in one reply the last in block order counts, whichever is written first") {
  AgentRig rig;
  Barrier second_is_over;
  rig.add_tool("Plan", true, [&](const Json& input, const tools::CallContext& context) {
    const std::string which = input["todo"].get<std::string>();
    if (which == "first") second_is_over.wait(context.stop);
    auto outcome = tools::text_outcome("saved");
    outcome.todos = std::vector<Todo>{{which, TodoStatus::pending, which}};
    return outcome;
  });
  rig.start();
  rig.provider->reply(0, ReplyBuilder()
                             .call("t1", "Plan", todo("first"))
                             .call("t2", "Plan", todo("second"))
                             .stop(StopReason::tool_use)
                             .end());
  rig.sink().wait([](const Event& e) { return std::holds_alternative<TodosChanged>(e); }, "todos");
  second_is_over.open();
  rig.provider->reply(1, done());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<TodosChanged>().size() == 1);
  CHECK(rig.conversation.todos.items.front().content == "second");
}

TEST_CASE("an open list that ten turns did not touch is shown again, and so after ten more") {
  TodoRig rig;
  rig.provider->mind = [](const auto&, std::size_t index) {
    if (index == 0) return call(0, "Plan", todo("a"));
    if (index < 25) return call(index, "Look", "{\"n\":" + std::to_string(index) + "}");
    return done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.shown_in() == std::vector<std::size_t>{12, 23});
  std::size_t told = 0;
  for (const auto& attached : rig.sink().all<Attachment>()) {
    if (attached.kind == AttachmentKind::todo) ++told;
  }
  CHECK(told == 2);
}

TEST_CASE("a list that is touched, finished or empty is not shown") {
  for (const char* input : {R"({"todo":"a"})", R"({"todo":"a","done":1})"}) {
    CAPTURE(std::string(input));
    const bool finished = std::string(input).find("done") != std::string::npos;
    TodoRig rig;
    rig.provider->mind = [input, finished](const auto&, std::size_t index) {
      const bool writes = finished ? index == 0 : index % 8 == 0;
      if (index < 20 && writes) return call(index, "Plan", input);
      if (index < 20) return call(index, "Look", "{\"n\":" + std::to_string(index) + "}");
      return done();
    };
    rig.start();
    CHECK(rig.wait_end().ending == Ending::completed);
    CHECK(rig.shown_in().empty());
  }
}

TEST_CASE("a compaction puts an open list back") {
  TodoRig rig;
  rig.options.model.facts.context_window = 20'000;
  rig.options.model.facts.default_output = 1'000;
  rig.conversation.todos.items = {{"ship it", TodoStatus::pending, "shipping it"}};
  rig.provider->mind = [](const model::ModelRequest& request, std::size_t index) {
    if (index == 0) return ReplyBuilder().fail(model::FailureClass::context_overflow).take();
    const auto* last = std::get_if<TextBlock>(&request.messages.back()->blocks.back());
    if (last != nullptr && last->text.find("summary") != std::string::npos && index == 1) {
      return ReplyBuilder().text("We were about to ship it.").stop(StopReason::end_turn).end();
    }
    return done();
  };
  rig.start();
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(rig.sink().all<Compacted>().size() == 1);
  CHECK(rig.shown_in() == std::vector<std::size_t>{3});
  REQUIRE(rig.sink().all<Attachment>().size() == 1);
  CHECK(rig.sink().all<Attachment>().front().kind == AttachmentKind::todo);
  CHECK(rig.conversation.todos.turns_untouched == 1);
}
