// Encoding described structs, and back.
#include "wire/encode.h"

#include <doctest/doctest.h>

#include "sample.h"
#include "wire/decode.h"
#include "wire/parse.h"

using namespace agentd;

namespace {

sample::Everything everything() {
  sample::Everything value;
  value.prompt = std::vector<std::variant<sample::Text, sample::Image>>{sample::Text{"a \"b\""},
                                                                        sample::Image{"QUJD"}};
  value.attachments = {{"/tmp/x", 3}, {"/tmp/y", {}}};
  value.mode = sample::Mode::accept_edits;
  value.stream = sample::Stream::err;
  value.count = INT64_MIN;
  value.small = -7;
  value.ratio = 0.25;
  value.urgent = true;
  value.percent = 100;
  value.paths = std::vector<std::string>{};
  value.extra = wire::Json{{"k", {1, nullptr, "x"}}};
  value.settings = wire::Json::object();
  return value;
}

constexpr std::string_view kEverything =
    R"({"prompt":[{"type":"text","text":"a \"b\""},{"type":"image","data":"QUJD"}],)"
    R"("attachments":[{"path":"/tmp/x","line":3},{"path":"/tmp/y"}],"mode":"acceptEdits",)"
    R"("stream":"stderr","count":-9223372036854775808,"small":-7,"ratio":0.25,"urgent":true,)"
    R"("percent":100,"paths":[],"extra":{"k":[1,null,"x"]},"settings":{}})";

}  // namespace

TEST_CASE("members come in declared order, absent ones not at all") {
  CHECK(wire::encode(everything()) == kEverything);
  sample::Everything bare;
  bare.prompt = "hi";
  CHECK(wire::encode(bare) ==
        R"({"prompt":"hi","stream":"stdout","count":0,"small":0,"ratio":0.0,"urgent":false})");
}

TEST_CASE("what is encoded decodes to the same") {
  const Result<wire::Json> json = wire::parse(kEverything);
  REQUIRE(json.has_value());
  const auto back = wire::decode<sample::Everything>(*json, "params");
  REQUIRE(back.has_value());
  CHECK(wire::encode(*back) == kEverything);
  CHECK(back->percent == 100);
  CHECK(back->mode == sample::Mode::accept_edits);
}

TEST_CASE("members can be put beside a writer's own") {
  std::string out = R"({"seq":4)";
  wire::append_members(out, sample::Text{"x"});
  CHECK(out == R"({"seq":4,"type":"text","text":"x")");
  out = "{";
  wire::append_members(out, sample::Attachment{"p", {}});
  CHECK(out == R"({"path":"p")");
}
