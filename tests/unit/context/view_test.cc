// Views: what each change does, and what it leaves alone.
#include "context/view.h"

#include <doctest/doctest.h>

#include "context/history.h"
#include "context/tokens.h"
#include "unit/context/talk.h"

using namespace agentd;
using namespace agentd::context::test;
using context::History;

namespace {

std::string tokens(std::size_t count) {
  return std::string(count * 4, 'x');
}

// Four calls with outputs of 1000 tokens each, and one output of a few bytes.
History with_outputs() {
  History history;
  history.append(user("go"));
  for (const char* id : {"t1", "t2", "small", "t3", "t4"}) {
    history.append(calls({id}));
    history.append(results({id}, std::string(id) == "small" ? "ok" : tokens(1000)));
  }
  return history;
}

const ImageBlock kImage{"image/png", "QUJD"};

}  // namespace

TEST_CASE("old outputs are cleared behind the protected ones, the log keeps all") {
  History history = with_outputs();
  const auto before = history.view();
  const auto counted = history.tokens().tokens();
  const auto freed = history.clear_old_outputs(1500, 100);
  CHECK(freed > 2500);
  CHECK(freed < 3000);
  CHECK(history.tokens().tokens() == counted - freed);
  const auto& view = history.view();
  REQUIRE(view.size() == before.size());
  CHECK(text_at(*view[2], 0).size() < 100);
  CHECK(text_at(*view[4], 0).size() < 100);
  CHECK(text_at(*view[6], 0) == "ok");
  CHECK(text_at(*view[8], 0).size() < 100);
  CHECK(view[10] == before[10]);
  CHECK(view[1] == before[1]);
  CHECK(text_at(*history.log()[2], 0) == tokens(1000));
  const auto again = history.view();
  CHECK(history.clear_old_outputs(1500, 100) == 0);
  CHECK(history.view() == again);
}

TEST_CASE("a clearing that frees little is not made") {
  History history = with_outputs();
  const auto before = history.view();
  CHECK(history.clear_old_outputs(1500, 4000) == 0);
  CHECK(history.clear_old_outputs(100'000, 0) == 0);
  CHECK(history.view() == before);
}

TEST_CASE("outputs that the model has not seen are not cleared, however large") {
  History history;
  history.append(user("go"));
  history.append(calls({"t1", "t2"}));
  history.append(results({"t1", "t2"}, tokens(50'000)));
  CHECK(history.clear_old_outputs(10, 10) == 0);
  history.append(calls({"t3"}));
  history.append(results({"t3"}));
  CHECK(history.clear_old_outputs(10, 10) > 90'000);
}

TEST_CASE("cleared results stay errors and keep their place among others") {
  History history;
  history.append(user("go"));
  history.append(calls({"t1", "t2"}));
  Message both = results({"t1", "t2"}, tokens(1000));
  std::get<ToolResultBlock>(both.blocks[0]).is_error = true;
  both.blocks.emplace_back(TextBlock{"and now"});
  history.append(both);
  history.append(calls({"t3"}));
  history.append(results({"t3"}, tokens(1500)));
  CHECK(history.clear_old_outputs(2600, 10) > 0);
  const Message& cleared = *history.view()[2];
  CHECK(std::get<ToolResultBlock>(cleared.blocks[0]).is_error);
  CHECK(text_at(cleared, 0).size() < 100);
  CHECK(text_at(cleared, 1) == tokens(1000));
  CHECK(text_at(cleared, 2) == "and now");
}

TEST_CASE("images become a note, in what was said and in results") {
  History history;
  history.append({Role::user, {TextBlock{"look"}, kImage}});
  history.append(calls({"t1"}));
  history.append({Role::user, {ToolResultBlock{"t1", {TextBlock{"a picture"}, kImage}, false}}});
  const auto call = history.view()[1];
  CHECK(history.replace_images("[no image]"));
  CHECK(text_at(*history.view()[0], 1) == "[no image]");
  const auto& content = std::get<ToolResultBlock>(history.view()[2]->blocks[0]).content;
  CHECK(std::get<TextBlock>(content.at(0)).text == "a picture");
  CHECK(std::get<TextBlock>(content.at(1)).text == "[no image]");
  CHECK(history.view()[1] == call);
  CHECK(std::holds_alternative<ImageBlock>(history.log()[0]->blocks[1]));
  CHECK_FALSE(history.replace_images("[no image]"));
}

TEST_CASE("thinking is stripped from in front of what was said") {
  History history;
  history.append(user("a"));
  history.append({Role::assistant,
                  {ThinkingBlock{"hm", "sig"}, RedactedThinkingBlock{"x"}, TextBlock{"said"}}});
  history.append(user("b"));
  Message call = calls({"t1"});
  call.blocks.insert(call.blocks.begin(), ThinkingBlock{"", "sig"});
  history.append(call);
  history.append(results({"t1"}));
  const auto last = history.view().back();
  CHECK(history.strip_thinking());
  const auto& view = history.view();
  REQUIRE(view.size() == 5);
  CHECK(view[1]->blocks.size() == 1);
  CHECK(view[3]->blocks.size() == 1);
  CHECK(std::holds_alternative<ToolUseBlock>(view[3]->blocks[0]));
  CHECK(view[4] == last);
  CHECK(history.log().size() == 5);
  CHECK_FALSE(history.strip_thinking());
}

TEST_CASE("a message never ends in thinking, and is not there if it is nothing else") {
  History history;
  history.append(user("a"));
  history.append({Role::assistant, {ThinkingBlock{"hm", "sig"}, RedactedThinkingBlock{"x"}}});
  history.append(user("b"));
  REQUIRE(history.view().size() == 1);
  CHECK(history.view()[0]->blocks.size() == 2);
  history.append({Role::assistant, {TextBlock{"said"}, ThinkingBlock{"hm", "sig"}}});
  REQUIRE(history.view().size() == 2);
  CHECK(history.view()[1]->blocks.size() == 1);
}

TEST_CASE("cache points after a change: what comes before it, then the end") {
  History history = with_outputs();
  history.take_cache_points();
  history.append(calls({"t5"}));
  history.append({Role::user, {result("t5", tokens(10)), kImage}});
  history.append(said("seen"));
  history.append(user("next"));
  history.take_cache_points();
  CHECK(history.replace_images("[no image]"));
  CHECK(history.take_cache_points() == std::vector<std::size_t>{11, 14});
  REQUIRE(history.compact({TextBlock{"summary"}}, history.view().size()));
  CHECK(history.take_cache_points() == std::vector<std::size_t>{0});
}
