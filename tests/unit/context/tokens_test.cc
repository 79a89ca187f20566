// Tokens: the rule of the estimate, and how it joins with what an API counted.
#include "context/tokens.h"

#include <doctest/doctest.h>

using namespace agentd;
using context::estimate;
using context::kBlockTokens;
using context::kImageTokens;
using context::TokenCount;

namespace {

Usage usage(std::optional<std::int64_t> input, std::optional<std::int64_t> written,
            std::optional<std::int64_t> read, std::optional<std::int64_t> output) {
  return {input, written, read, output};
}

}  // namespace

TEST_CASE("text: four ASCII bytes a token, two of other characters, rounded up") {
  CHECK(estimate(std::string_view("")) == 0);
  CHECK(estimate(std::string_view("a")) == 1);
  CHECK(estimate(std::string_view("abcd")) == 1);
  CHECK(estimate(std::string_view("abcde")) == 2);
  CHECK(estimate(std::string_view("\xD0\x96\xD0\x96")) == 2);          // two Cyrillic letters
  CHECK(estimate(std::string_view("\xE4\xB8\xAD\xE6\x96\x87")) == 3);  // two Chinese characters
}

TEST_CASE("every kind of block counts") {
  const std::string text(400, 'x');
  CHECK(estimate(Block(TextBlock{text})) == 100 + kBlockTokens);
  CHECK(estimate(Block(ThinkingBlock{text, std::string(8000, 's')})) == 100 + kBlockTokens);
  CHECK(estimate(Block(RedactedThinkingBlock{text})) == 100 + kBlockTokens);
  CHECK(estimate(Block(OpaqueBlock{"x", text})) == 100 + kBlockTokens);
  CHECK(estimate(Block(ImageBlock{"image/png", std::string(100'000, 'A')})) ==
        kImageTokens + kBlockTokens);
  const Block result = ToolResultBlock{"", {TextBlock{text}, ImageBlock{"image/png", "A"}}, false};
  CHECK(estimate(result) == 100 + kImageTokens + 3 * kBlockTokens);
}

TEST_CASE("a call's input counts as its JSON text would") {
  const Json input = {{"path", "/a/b.txt"}, {"lines", {1, 2, 3}}, {"deep", {{"k", "value"}}}};
  const auto written = static_cast<std::int64_t>(input.dump().size());
  const auto tokens = estimate(Block(ToolUseBlock{"", "", input})) - kBlockTokens;
  CHECK(tokens >= written / 4);
  CHECK(tokens <= written / 4 + 6);
  const Json large = {{"content", std::string(40'000, 'x')}};
  CHECK(estimate(Block(ToolUseBlock{"t", "Write", large})) > 10'000);
}

TEST_CASE("without a count everything is estimated, the overhead too") {
  TokenCount count;
  count.set_overhead(1000);
  CHECK(count.tokens() == 1000);
  count.add(50);
  count.add(70);
  CHECK(count.tokens() == 1120);
  CHECK_FALSE(count.is_measured());
  count.replaced(30);
  CHECK(count.tokens() == 1030);
}

TEST_CASE("the API's count takes the place of the estimate, the tail is added") {
  TokenCount count;
  count.set_overhead(1000);
  count.add(500);
  count.measured(usage(10, 20, 3000, 400));
  CHECK(count.is_measured());
  CHECK(count.tokens() == 3430);
  count.add(70);
  CHECK(count.tokens() == 3500);
  count.measured(usage(3600, {}, {}, {}));
  CHECK(count.tokens() == 3600);
}

TEST_CASE("a usage that is missing, partial or zero changes nothing") {
  TokenCount count;
  count.add(500);
  count.measured(usage({}, {}, {}, {}));
  count.measured(usage({}, {}, {}, 90));
  count.measured(usage(0, 0, 0, 90));
  CHECK(count.tokens() == 500);
  CHECK_FALSE(count.is_measured());
  count.measured(usage(800, {}, {}, 1));
  count.measured(usage({}, {}, {}, 90));
  CHECK(count.tokens() == 801);
}

TEST_CASE("after a replacement the proportion of count to estimate goes on") {
  TokenCount count;
  count.set_overhead(1000);
  count.add(9000);
  count.measured(usage(15'000, {}, {}, 0));
  count.replaced(1000);
  CHECK(count.tokens() == 3000);
  count.add(100);
  CHECK(count.tokens() == 3100);

  TokenCount odd;  // an overhead nobody told
  odd.add(5);
  odd.measured(usage(12'000, {}, {}, 0));
  odd.replaced(100);
  CHECK(odd.tokens() == 200);
}
