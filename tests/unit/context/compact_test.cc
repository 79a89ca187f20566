// Compaction: where a view is cut, what stands at its head, when it is made, when no longer.
#include "context/compaction.h"

#include <doctest/doctest.h>

#include "context/attachment.h"
#include "context/history.h"
#include "context/summary.h"
#include "context/tail.h"
#include "context/tokens.h"
#include "unit/context/talk.h"

using namespace agentd;
using namespace agentd::context;
using namespace agentd::context::test;

namespace {

std::string tokens(std::size_t count) {
  return std::string(count * 4, 'x');
}

// 0 user, 1 calls, 2 results, 3 said, 4 user, 5 calls, 6 results, 7 calls, 8 results: each of
// about 100 tokens.
View rounds() {
  const std::string text = tokens(100);
  Message first = calls({"a1"});
  Message second = calls({"b1", "b2"});
  Message third = calls({"c1"});
  for (Message* message : {&first, &second, &third}) {
    message->blocks.insert(message->blocks.begin(), TextBlock{text});
  }
  return view_of({user(text), first, results({"a1"}, text), said(text), user(text), second,
                  results({"b1", "b2"}, tokens(50)), third, results({"c1"}, text)});
}

}  // namespace

TEST_CASE("a cut moves to before the calls whose results it would part") {
  const View view = rounds();
  const std::size_t expected[] = {0, 1, 1, 3, 4, 5, 5, 7, 7, 9, 9};
  for (std::size_t i = 0; i < 11; ++i) CHECK(safe_cut(view, i) == expected[i]);
  CHECK(safe_cut(view_of({user("a"), calls({"t"})}), 2) == 1);  // not answered yet
  CHECK(safe_cut({}, 3) == 0);
}

TEST_CASE("the tail is as long as fits, and begins at a safe cut") {
  const View view = rounds();
  struct Row {
    std::int64_t budget;
    std::size_t from;
  };
  const Row rows[] = {{0, 9},   {90, 9},  {150, 9}, {260, 7}, {380, 7},  {540, 5},
                      {640, 4}, {750, 3}, {860, 3}, {970, 1}, {1090, 0}, {100'000, 0}};
  for (const Row& row : rows) {
    CAPTURE(row.budget);
    CHECK(choose_tail(view, row.budget) == row.from);
  }
  CHECK(choose_tail({}, 100) == 0);
}

TEST_CASE("rounds to drop: whole rounds first, replies of the last round then") {
  const View view = rounds();
  struct Row {
    std::int64_t excess;
    std::size_t from;
  };
  const Row rows[] = {{0, 0}, {1, 4}, {400, 4}, {600, 7}, {700, 7}, {100'000, 7}};
  for (const Row& row : rows) {
    CAPTURE(row.excess);
    CHECK(rounds_to_drop(view, row.excess) == row.from);
  }
  CHECK(rounds_to_drop(view_of({user(tokens(100))}), 50) == 0);
  CHECK(rounds_to_drop({}, 50) == 0);
}

TEST_CASE("the last request is what the user said, without what the engine added") {
  const std::string note = wrapped({AttachmentKind::note, {}, "x"});
  CHECK_FALSE(last_request(view_of({user(note)})).has_value());
  Message steered = results({"t1"});
  steered.blocks.emplace_back(TextBlock{note});
  steered.blocks.emplace_back(TextBlock{"not so"});
  const auto found = last_request(view_of({user("do it"), calls({"t1"}), steered, said("ok"),
                                           user(note), calls({"t2"}), results({"t2"})}));
  REQUIRE(found.has_value());
  CHECK(found->text == "not so");
  CHECK(found->index == 2);
  const Message first{Role::user,
                      {TextBlock{"<environment>\nDate"}, TextBlock{"a"}, TextBlock{"b"}}};
  CHECK(last_request(view_of({first}))->text == "a\n\nb");
}

TEST_CASE("after a compaction the view is the head and the tail, whose pointers stay") {
  History history;
  for (const MessagePtr& message : rounds()) history.append(*message);
  const View before = history.view();
  REQUIRE(history.compact(summary_head("sum", "", last_request(before)), 8));
  const View& view = history.view();
  REQUIRE(view.size() == 3);
  CHECK(view[0]->role == Role::user);
  CHECK(view[1] == before[7]);
  CHECK(view[2] == before[8]);
  CHECK(history.log().size() == 9);
  CHECK(history.tokens().tokens() < 600);
  CHECK(last_request(view)->text == tokens(100));
}

TEST_CASE("a head in front of a user's message is joined with it") {
  History history;
  history.append(user("a"));
  history.append(said("b"));
  history.append(user("c"));
  REQUIRE(history.compact({TextBlock{"head"}, result("nobody"), TextBlock{" "}}, 2));
  REQUIRE(history.view().size() == 1);
  REQUIRE(history.view()[0]->blocks.size() == 2);
  CHECK(text_at(*history.view()[0], 0) == "head");
  CHECK(text_at(*history.view()[0], 1) == "c");
  const View view = history.view();
  CHECK_FALSE(history.compact({TextBlock{"\n"}}, 0));
  CHECK(history.view() == view);
}

TEST_CASE("open calls are kept, so that their results find them") {
  History history;
  history.append(user("a"));
  history.append(calls({"t1"}));
  REQUIRE(history.compact({TextBlock{"head"}}, 2));
  history.append(results({"t1"}));
  REQUIRE(history.view().size() == 3);
  CHECK(has_calls(*history.view()[1]));
  CHECK(has_results(*history.view()[2]));
}

TEST_CASE("the summary's request shares the view's messages and ends with the instructions") {
  const View view = rounds();
  const View whole = summary_request(view, {});
  REQUIRE(whole.size() == view.size());
  for (std::size_t i = 0; i + 1 < view.size(); ++i) CHECK(whole[i] == view[i]);
  CHECK(whole.back()->blocks.size() == 2);
  CHECK(text_at(*whole.back(), 1).find("## Next step") != std::string::npos);

  const View part = summary_request(view, {6, "keep the names", false});
  REQUIRE(part.size() == 5);
  CHECK(added_by_engine(text_at(*part[0], 0)));
  CHECK(part[1] == view[5]);
  CHECK(text_at(*part.back(), 1).find("keep the names") != std::string::npos);
}

TEST_CASE("the summary's request answers open calls and can go without images") {
  const View open = view_of({{Role::user, {ImageBlock{"image/png", "QQ"}}}, calls({"t1"})});
  const View sent = summary_request(open, {0, {}, true});
  REQUIRE(sent.size() == 3);
  CHECK(std::holds_alternative<TextBlock>(sent[0]->blocks[0]));
  CHECK(std::get<ToolResultBlock>(sent[2]->blocks[0]).tool_use_id == "t1");
  CHECK(std::holds_alternative<TextBlock>(sent[2]->blocks[1]));
  CHECK(summary_request({}, {}).size() == 1);
}

TEST_CASE("the head is bounded, marked as background, and names the log") {
  const auto head = summary_head(tokens(60'000), "/log", Request{0, tokens(60'000), {}});
  REQUIRE(head.size() == 3);
  CHECK(estimate(head[0]) < 20'300);
  CHECK(estimate(head[2]) < 20'100);
  const std::string text = std::get<TextBlock>(head[0]).text;
  CHECK(added_by_engine(text));
  CHECK(text.find("/log") != std::string::npos);
  CHECK(text.find("cut here") != std::string::npos);
  CHECK_FALSE(added_by_engine(std::get<TextBlock>(head[2]).text));
  CHECK(summary_head("short", "", std::nullopt).size() == 1);
  CHECK(usable_summary("x"));
  CHECK_FALSE(usable_summary(" \n"));
}

TEST_CASE("images of the last message are kept as far as there is room; of others a note tells") {
  const ImageBlock image{"image/png", "QQ"};
  Message asked = user("look at these");
  asked.blocks.emplace_back(image);
  asked.blocks.emplace_back(image);
  Message shot = results({"t1"});
  std::get<ToolResultBlock>(shot.blocks[0]).content.emplace_back(image);
  const View view = view_of({asked, calls({"t1"}), shot, said("I see.")});
  const auto request = last_request(view);
  REQUIRE(request.has_value());
  CHECK(request->images.size() == 2);

  const auto head = summary_head("sum", "", request);
  REQUIRE(head.size() == 5);
  CHECK(std::holds_alternative<ImageBlock>(head[3]));
  CHECK(std::holds_alternative<ImageBlock>(head[4]));
  const auto note = lost_images_note(view, 4, head);
  REQUIRE(note.has_value());
  CHECK(std::get<TextBlock>(*note).text.find("1 image of") != std::string::npos);
  CHECK_FALSE(lost_images_note(view, 1, head).has_value());

  const auto tight = summary_head("sum", "", request, {.summary = 1'000, .request = 2'000});
  CHECK(tight.size() == 4);
  CHECK(std::get<TextBlock>(*lost_images_note(view, 4, tight)).text.find("2 images of") !=
        std::string::npos);
  // A message of images alone is a request too.
  CHECK(last_request(view_of({{Role::user, {image}}}))->images.size() == 1);
}

TEST_CASE("what stands after a compaction leaves room in every window") {
  CHECK(compaction_shares(170'000).tail == 15'000);
  CHECK(compaction_shares(170'000).summary == 20'000);
  CHECK(compaction_shares(170'000).request == 20'000);
  CHECK(compaction_shares(170'000).put_back == 21'250);
  CHECK(compaction_shares(1'000'000).put_back == 25'000);
  CHECK(compaction_shares(0).put_back == 25'000);
  CHECK(compaction_shares(-5).put_back == 0);
  for (const std::int64_t room : {1'500, 4'000, 8'000, 16'000, 32'000, 64'000, 128'000}) {
    CAPTURE(room);
    const auto shares = compaction_shares(room);
    CHECK(shares.tail + shares.summary + shares.request + shares.put_back <= room * 7 / 8);
  }
}

TEST_CASE("a shorter summary is asked for") {
  const View sent = summary_request(view_of({user("a")}), {.shorter = true});
  CHECK(text_at(*sent.back(), 1).find("500 words") != std::string::npos);
}

TEST_CASE("the reserve, and when a compaction is due") {
  CHECK(compaction_reserve(200'000, 64'000) == 30'000);
  CHECK(compaction_reserve(1'000'000, 64'000) == 40'000);
  CHECK(compaction_reserve(200'000, 4'096) == 14'096);
  CHECK(compaction_reserve(8'000, 64'000) == 4'000);
  CHECK(compaction_reserve(0, 64'000) == 0);
  CHECK_FALSE(should_compact(170'000, 200'000, 30'000));
  CHECK(should_compact(170'001, 200'000, 30'000));
  CHECK_FALSE(should_compact(1'000'000, 0, 0));
}

TEST_CASE("three failures in a row open the breaker, a success between them does not") {
  CompactionBreaker breaker;
  for (int round = 0; round < 2; ++round) {
    breaker.failed();
    breaker.failed();
    CHECK(breaker.allow_automatic());
    breaker.succeeded();
    for (int i = 0; i < CompactionBreaker::kSoon; ++i) breaker.reply_fitted();
  }
  for (int i = 0; i < CompactionBreaker::kFailures; ++i) {
    CHECK(breaker.allow_automatic());
    breaker.failed();
  }
  CHECK_FALSE(breaker.allow_automatic());
  breaker.succeeded_by_hand();
  CHECK(breaker.allow_automatic());
}

TEST_CASE("full again before one reply fitted: no more") {
  CompactionBreaker breaker;
  CHECK(breaker.allow_automatic());
  breaker.succeeded();
  CHECK_FALSE(breaker.allow_automatic());
  CHECK(breaker.is_open());
}

TEST_CASE("full again soon, three times in a row: no more") {
  CompactionBreaker breaker;
  CHECK(breaker.allow_automatic());
  breaker.succeeded();
  for (int refill = 1; refill < CompactionBreaker::kRefills; ++refill) {
    breaker.reply_fitted();
    CHECK(breaker.allow_automatic());
    breaker.succeeded();
  }
  for (int i = 0; i < CompactionBreaker::kSoon; ++i) breaker.reply_fitted();
  CHECK(breaker.allow_automatic());  // this time it lasted
  breaker.succeeded();
  for (int refill = 1; refill <= CompactionBreaker::kRefills; ++refill) {
    breaker.reply_fitted();
    CHECK(breaker.allow_automatic() == (refill < CompactionBreaker::kRefills));
    breaker.succeeded();
  }
}
