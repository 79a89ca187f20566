// Attachments: order, doubles, budget, and that none can pass for the user's words.
#include "context/attachment.h"

#include <doctest/doctest.h>

#include "base/utf8.h"
#include "context/tokens.h"

using namespace agentd;
using namespace agentd::context;

namespace {

constexpr std::int64_t kEnough = 10'000;

std::string text_of(const Block& block) {
  return std::get<TextBlock>(block).text;
}

std::int64_t size_of(const std::vector<Block>& blocks) {
  std::int64_t tokens = 0;
  for (const Block& block : blocks) tokens += estimate(block);
  return tokens;
}

}  // namespace

TEST_CASE("attachments come in the order of their kinds, the user's words last and bare") {
  ShownAttachments shown;
  const auto blocks = render({{AttachmentKind::queued_message, {}, "first"},
                              {AttachmentKind::hook_context, "lint", "two warnings"},
                              {AttachmentKind::memory, "/b", "B"},
                              {AttachmentKind::queued_message, {}, "second"},
                              {AttachmentKind::memory, "/a", "A"}},
                             kEnough, shown)
                          .blocks;
  REQUIRE(blocks.size() == 5);
  CHECK(text_of(blocks[0]) == "<context kind=\"memory\" title=\"/b\">\nB\n</context>");
  CHECK(text_of(blocks[1]) == "<context kind=\"memory\" title=\"/a\">\nA\n</context>");
  CHECK(text_of(blocks[2]) ==
        "<context kind=\"hook_context\" title=\"lint\">\ntwo warnings\n</context>");
  CHECK(text_of(blocks[3]) == "first");
  CHECK(text_of(blocks[4]) == "second");
  for (int i = 0; i < 3; ++i) CHECK(added_by_engine(text_of(blocks[static_cast<std::size_t>(i)])));
  CHECK_FALSE(added_by_engine("first"));
  CHECK(added_by_engine("<environment>\nDate: x"));
}

TEST_CASE("the same is not shown twice, changed it is, the user's words and the list always") {
  ShownAttachments shown;
  const Attachment memory{AttachmentKind::memory, {}, "- a"};
  const Attachment todo{AttachmentKind::todo, {}, "- a"};
  const Attachment word{AttachmentKind::queued_message, {}, "go on"};
  CHECK(render({memory, memory, word}, kEnough, shown).blocks.size() == 2);
  CHECK(render({memory, word, word}, kEnough, shown).blocks.size() == 2);
  CHECK(render({todo}, kEnough, shown).blocks.size() == 1);
  CHECK(render({todo}, kEnough, shown).blocks.size() == 1);  // it is there to remind
  CHECK(render({{AttachmentKind::memory, {}, "- b"}}, kEnough, shown).blocks.size() == 1);
  CHECK(render({{AttachmentKind::note, {}, "- b"}}, kEnough, shown).blocks.size() == 1);
  CHECK(render({{AttachmentKind::note, {}, " \n"}}, kEnough, shown).blocks.empty());
  shown.clear();
  CHECK(render({memory}, kEnough, shown).blocks.size() == 1);
}

TEST_CASE("a text cannot close its tag or open one") {
  const struct {
    std::string text;
    std::string defused;
  } rows[] = {
      {"</context>", "&lt;/context>"},   {"</ CONTEXT >", "&lt;/ CONTEXT >"},
      {"< / Context", "&lt; / Context"}, {"<context kind=\"x\">", "&lt;context kind=\"x\">"},
      {"a < b </div>", "a < b </div>"},  {"<contex>", "<contex>"},
      {"<<context", "<&lt;context"},     {"<", "<"}};
  for (const auto& row : rows) {
    CHECK(wrapped({AttachmentKind::note, {}, row.text}) ==
          "<context kind=\"note\">\n" + row.defused + "\n</context>");
  }
  CHECK(wrapped({AttachmentKind::note, "a\"><b\nc", "x"}) ==
        "<context kind=\"note\" title=\"a&quot;>&lt;b c\">\nx\n</context>");
}

TEST_CASE("what does not fit is cut with a note, what has no room is named and comes again") {
  ShownAttachments shown;
  const std::vector<Attachment> all = {
      {AttachmentKind::memory, "/one", std::string(2000, 'a')},
      {AttachmentKind::memory, "/two", std::string(40'000, 'b')},
      {AttachmentKind::todo, {}, "- todo"},
      {AttachmentKind::queued_message, {}, std::string(9000, 'q')}};
  const auto rendered = render(all, 1000, shown);
  const auto& blocks = rendered.blocks;
  REQUIRE(rendered.shown.size() == 2);
  CHECK(rendered.shown[0].title == "/one");
  CHECK(rendered.shown[1].title == "/two");
  REQUIRE(rendered.left_out.size() == 1);
  CHECK(rendered.left_out[0].text == "- todo");
  REQUIRE(blocks.size() == 4);
  CHECK(text_of(blocks[0]).find("cut here") == std::string::npos);
  CHECK(text_of(blocks[1]).find("cut here") != std::string::npos);
  CHECK(text_of(blocks[1]).size() > 1200);
  CHECK(text_of(blocks[2]).find("no room to show: todo") != std::string::npos);
  CHECK(size_of({blocks[0], blocks[1]}) <= 1000);
  const auto later = render(all, 1000, shown).blocks;
  REQUIRE(later.size() == 2);
  CHECK(text_of(later[0]).find("- todo") != std::string::npos);
}

TEST_CASE("a cut ends between characters and holds the budget with letters that weigh double") {
  ShownAttachments shown;
  std::string text;
  while (text.size() < 30'000) text += "\xD0\x96\xE4\xB8\xAD";
  const auto blocks = render({{AttachmentKind::note, {}, text}}, 500, shown).blocks;
  REQUIRE(blocks.size() == 1);
  CHECK(utf8::valid(text_of(blocks[0])));
  CHECK(size_of(blocks) <= 500);
  CHECK(size_of(blocks) > 200);
}

TEST_CASE("many without room are counted, not all named") {
  ShownAttachments shown;
  std::vector<Attachment> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back({AttachmentKind::memory, "/file" + std::to_string(i), "x"});
  }
  const auto blocks = render(all, 0, shown).blocks;
  REQUIRE(blocks.size() == 1);
  CHECK(text_of(blocks[0]).find("and 30 more") != std::string::npos);
  CHECK(shown.empty());
}
