// Prompts as clients send them.
#include "server/prompt.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::server;

namespace {

using Contents = std::vector<protocol::Content>;

std::string fault(protocol::Prompt prompt) {
  const auto blocks = to_blocks(std::move(prompt));
  if (blocks) return "";
  CHECK(blocks.error().code == Code::invalid_input);
  return blocks.error().where;
}

}  // namespace

TEST_CASE("text becomes one text block") {
  const auto blocks = to_blocks(std::string("do it"));
  REQUIRE(blocks);
  REQUIRE(blocks->size() == 1);
  CHECK(std::get<TextBlock>((*blocks)[0]).text == "do it");
}

TEST_CASE("content blocks keep their order") {
  const auto blocks = to_blocks(Contents{protocol::ImageContent{"image/png", "QUJD"},
                                         protocol::TextContent{"what is this?"}});
  REQUIRE(blocks);
  REQUIRE(blocks->size() == 2);
  CHECK(std::get<ImageBlock>((*blocks)[0]).data == "QUJD");
  CHECK(std::get<TextBlock>((*blocks)[1]).text == "what is this?");
}

TEST_CASE("what cannot be sent is told with its place") {
  CHECK(fault(std::string()) == "params.prompt");
  CHECK(fault(std::string(" \n")) == "params.prompt");
  CHECK(fault(Contents{}) == "params.prompt");
  CHECK(fault(Contents{protocol::TextContent{" "}}) == "params.prompt");
  CHECK(fault(Contents{protocol::TextContent{"a"}, protocol::ImageContent{"image/bmp", "QUJD"}}) ==
        "params.prompt[1].mediaType");
  CHECK(fault(Contents{protocol::ImageContent{"image/png", ""}}) == "params.prompt[0].data");
  CHECK(fault(Contents{protocol::ImageContent{"image/png", "not base64!"}}) ==
        "params.prompt[0].data");
}
