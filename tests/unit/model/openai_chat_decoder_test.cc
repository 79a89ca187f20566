// OpenAiChatDecoder by itself: the stream cases in every cut, and promises that no case holds. The
// same cases through real HTTP: tests/streams.
#include "model/openai_chat_decoder.h"

#include <doctest/doctest.h>

#include "support/assembled_reply.h"
#include "support/decoder_rig.h"
#include "support/stream_case.h"

using namespace agentd;
using namespace agentd::model;
using agentd::test::AssembledReply;
using agentd::test::StreamCase;

namespace {

std::vector<StreamCase> cases() {
  std::vector<StreamCase> found;
  for (StreamCase& one :
       test::load_stream_cases(std::string(AGENTD_SOURCE_DIR) + "/tests/streams/cases", "o-")) {
    // Statuses and stalls are not the decoder's.
    if (one.status == 200 && one.end != "stall") found.push_back(std::move(one));
  }
  return found;
}

test::MakeDecoder by(OpenAiChatDecoderOptions options) {
  return [options = std::move(options)] { return std::make_unique<OpenAiChatDecoder>(options); };
}

AssembledReply decode_whole(std::string_view body, OpenAiChatDecoderOptions options = {}) {
  return test::decode_whole(by(std::move(options)), body);
}

std::string event(const std::string& json) {
  return "data: " + json + "\n\n";
}

std::string delta(const std::string& json) {
  return event(R"({"id":"c","model":"m","choices":[{"index":0,"delta":)" + json + "}]}");
}

std::string calls(const std::string& entries) {
  return delta(R"({"tool_calls":[)" + entries + "]}");
}

std::string finish(const std::string& reason) {
  return event(R"({"choices":[{"index":0,"delta":{},"finish_reason":")" + reason + R"("}]})");
}

const std::string kDone = "data: [DONE]\n\n";

// The calls of a reply: `id name input`, and `open` where it never ended.
std::vector<std::string> calls_of(const AssembledReply& reply) {
  std::vector<std::string> found;
  for (const auto& block : reply.blocks) {
    if (block.kind != BlockKind::tool_use) continue;
    found.push_back(block.tool_use_id + " " + block.tool_name + " " + block.text +
                    (block.ended ? "" : " open"));
  }
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the stream cases: whole, byte by byte, random cuts") {
  const auto all = cases();
  REQUIRE(all.size() >= 30);
  for (const StreamCase& one : all) {
    test::check_every_cut(one, by({.think_tags = one.think_tags}),
                          by({.think_tags = one.think_tags, .parser_only = true}));
  }
}

TEST_CASE("the short way gives what the parser gives") {
  const std::string choices = R"({"id":"c","model":"m","choices":[{"index":0,"delta":)";
  const std::string behind = R"(,"logprobs":null,"finish_reason":null}]})";
  const std::string usual = choices + R"({"role":"assistant","content":"a"})" + behind;
  for (const std::string& chunk :
       {choices + R"({"role":"assistant","content":"b\"\u00e9\ud83d\ude00\ud800"})" + behind,
        choices + R"({"role":"assistant","content":"b","refusal":"no"})" + behind,
        choices + R"({"role":"assistant","content":"b"})" + R"(,"finish_reason":"length"}]})",
        choices + R"({"role":"assistant","content":"\q"})" + behind,
        choices + R"({"role":"assistant","content":""})" + behind,
        choices + R"({"role":"assistant","content":null})" + behind,
        choices + R"({"role":"assistant","content":"b"})" + behind + "x",
        choices + R"({"reasoning_content":"b"})" + behind,
        choices + R"({"reasoning":"b"})" + behind,
        choices + R"({"reasoning_content":"b","reasoning":"b"})" + behind,
        choices + R"({"content":"b","tool_calls":[{"index":0,"function":{"name":"f"}}]})" + behind,
        choices + R"({"content":"b"})" + R"(}],"usage":{"prompt_tokens":3}})",
        choices + R"({"content":"b"})" + R"(}],"error":{"message":"x"}})",
        std::string(R"({"choices":[{"index":1,"delta":{"content":"b"}}]})"),
        std::string(R"({"choices":[{"delta":{"content":"b"}},{"index":1,"delta":{}}]})")}) {
    CAPTURE(chunk);
    // Twice: the first may be learnt from, the second read with what was learnt.
    const std::string body =
        event(usual) + event(chunk) + event(chunk) + event(usual) + finish("stop") + kDone;
    CHECK(decode_whole(body).summary() == decode_whole(body, {.parser_only = true}).summary());
  }
}

TEST_CASE("the usual chunk is learnt from one that was parsed") {
  const auto chunk = [](const std::string& content, const std::string& id = "c") {
    return R"({"id":")" + id + R"(","choices":[{"index":0,"delta":{"content":")" + content +
           R"("},"finish_reason":null}]})";
  };
  UsualChunk usual;
  CHECK_FALSE(usual.read(chunk("a")));
  usual.learn(chunk("a"), Json::parse(chunk("a")));
  REQUIRE(usual.read(chunk("b c")));
  CHECK(usual.read(chunk("b c"))->text == "b c");
  CHECK(usual.read(chunk("b c"))->member == ChunkMember::content);
  CHECK_FALSE(usual.read(chunk("b", "another")));
}

TEST_CASE("finish reasons") {
  const auto reason_of = [](const std::string& wire) {
    const AssembledReply reply = decode_whole(delta(R"({"content":"x"})") + finish(wire) + kDone);
    REQUIRE(reply.stop);
    CHECK(reply.stop->wire == wire);
    return reply.stop->reason;
  };
  CHECK(reason_of("stop") == StopReason::end_turn);
  CHECK(reason_of("length") == StopReason::max_tokens);
  CHECK(reason_of("tool_calls") == StopReason::tool_use);
  CHECK(reason_of("function_call") == StopReason::tool_use);
  CHECK(reason_of("content_filter") == StopReason::refusal);
  CHECK(reason_of("model_context_window_exceeded") == StopReason::context_window_exceeded);
  CHECK(reason_of("something new") == StopReason::unknown);
}

TEST_CASE("of several finish reasons the first counts, but one that says the reply was cut") {
  const std::string call =
      calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})");
  const AssembledReply first = decode_whole(call + finish("tool_calls") + finish("stop") + kDone);
  CHECK(first.stop->wire == "tool_calls");
  CHECK(calls_of(first) == Texts{"a f {}"});
  const AssembledReply cut = decode_whole(call + finish("stop") + finish("length") + kDone);
  CHECK(cut.stop->wire == "length");
  CHECK(calls_of(cut) == Texts{"a f {} open"});
  CHECK(decode_whole(call + finish("length") + finish("stop") + kDone).stop->wire == "length");
}

TEST_CASE("a finish reason that says the endpoint broke is a failure") {
  const AssembledReply reply =
      decode_whole(delta(R"({"content":"x"})") + finish("insufficient_system_resource") + kDone);
  REQUIRE(reply.failure);
  CHECK(reply.failure->failure_class == FailureClass::api_error);
  const AssembledReply told = decode_whole(event(
      R"({"error":{"code":402,"message":"no credit"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]})"));
  REQUIRE(told.failure);
  CHECK(told.failure->failure_class == FailureClass::billing);
}

TEST_CASE("the limit cuts the last call, not those ahead of it") {
  const std::string two =
      calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})") +
      calls(R"({"index":1,"id":"b","function":{"name":"f","arguments":"{}"}})");
  CHECK(calls_of(decode_whole(two + finish("length") + kDone)) == Texts{"a f {}", "b f {} open"});
  CHECK(calls_of(decode_whole(two + finish("stop") + kDone)) == Texts{"a f {}", "b f {}"});
  // Text behind it: the model had gone on.
  CHECK(calls_of(decode_whole(two + delta(R"({"content":"x"})") + finish("length") + kDone)) ==
        Texts{"a f {}", "b f {}"});
}

TEST_CASE("the end of the body") {
  const std::string text = delta(R"({"content":"x"})");
  CHECK(decode_whole(text).failure->failure_class == FailureClass::stream_truncated);
  CHECK_FALSE(decode_whole(text + finish("stop")).failure);
  CHECK_FALSE(decode_whole(text + kDone).failure);
  CHECK_FALSE(decode_whole(text + kDone).stop);
  CHECK(decode_whole(kDone).failure->failure_class == FailureClass::empty_response);
  CHECK(decode_whole("").failure->failure_class == FailureClass::empty_response);
  CHECK(decode_whole(text + "data: {\"choi").failure->failure_class ==
        FailureClass::stream_truncated);
  CHECK(decode_whole(text + event("{\"choi") + kDone).failure->failure_class ==
        FailureClass::malformed_event);
  CHECK_FALSE(
      decode_whole(text + finish("stop") + event(R"({"error":{"message":"late"}})")).failure);
}

TEST_CASE("a failure of the connection after the finish reason changes nothing") {
  for (const bool told : {true, false}) {
    OpenAiChatDecoder decoder;
    ModelEvents events;
    decoder.feed(delta(R"({"content":"x"})") + (told ? finish("stop") : ""), events);
    decoder.finish(events, failure_of(FailureClass::network, "reset"));
    CHECK(std::holds_alternative<MessageEnded>(events.back()) == told);
    CHECK(std::holds_alternative<Failed>(events.back()) != told);
  }
}

TEST_CASE("usage: the chunk after the end, cached tokens, the other places") {
  const std::string begin = delta(R"({"content":"x"})") + finish("stop");
  const auto usage = [&](const std::string& chunk) {
    return decode_whole(begin + event(chunk) + kDone).usage;
  };
  const Usage plain = usage(
      R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":7}}})");
  CHECK(plain.input_tokens == 3);
  CHECK(plain.cache_read_input_tokens == 7);
  CHECK(plain.output_tokens == 4);
  CHECK(usage(R"({"usage":{"prompt_tokens":9,"prompt_cache_hit_tokens":4}})").input_tokens == 5);
  CHECK(usage(R"({"x_groq":{"usage":{"prompt_tokens":9}}})").input_tokens == 9);
  CHECK(usage(R"({"choices":[{"usage":{"prompt_tokens":8}}]})").input_tokens == 8);
  CHECK_FALSE(usage(R"({"choices":[],"usage":null})").input_tokens);
}

TEST_CASE("reasoning under its names, told once; the same text twice in one delta is read once") {
  struct Row {
    const char* delta;
    const char* thinking;
    ReasoningMember member;
  };
  for (const Row& row : std::initializer_list<Row>{
           {R"({"reasoning_content":"a"})", "a", ReasoningMember::reasoning_content},
           {R"({"reasoning":"b","content":null})", "b", ReasoningMember::reasoning},
           {R"({"reasoning":"c","reasoning_details":[{"type":"reasoning.text","text":"c"}]})", "c",
            ReasoningMember::reasoning},
           {R"({"reasoning":"d","reasoning_content":"d"})", "d",
            ReasoningMember::reasoning_content},
           {R"({"reasoning_details":[{"type":"reasoning.summary","summary":"e"},{"data":"z"}]})",
            "e", ReasoningMember::none},
           {R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"f"}]}]})", "f",
            ReasoningMember::none}}) {
    CAPTURE(row.delta);
    ReasoningMember told = ReasoningMember::none;
    const AssembledReply reply =
        decode_whole(delta(row.delta) + delta(R"({"content":"x"})") + finish("stop") + kDone,
                     {.on_reasoning = [&](ReasoningMember member) { told = member; }});
    REQUIRE(reply.blocks.size() == 2);
    CHECK(reply.blocks[0].kind == BlockKind::thinking);
    CHECK(reply.blocks[0].text == row.thinking);
    CHECK_FALSE(reply.blocks[0].signature);
    CHECK(reply.blocks[1].text == "x");
    CHECK(told == row.member);
  }
}

TEST_CASE("which piece belongs to which call") {
  const auto found = [](const std::string& body) {
    return calls_of(decode_whole(body + finish("tool_calls") + kDone));
  };
  // Interleaved by index.
  CHECK(found(calls(R"({"index":1,"id":"a","function":{"name":"f","arguments":"{\"x\":"}})") +
              calls(R"({"index":2,"id":"b","function":{"name":"g","arguments":"{\"y\":"}})") +
              calls(R"({"index":1,"function":{"arguments":"1}"}})") +
              calls(R"({"index":2,"function":{"arguments":"2}"}})")) ==
        Texts{R"(a f {"x":1})", R"(b g {"y":2})"});
  // One index for all, told apart by ids.
  CHECK(found(calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})") +
              calls(R"({"index":0,"id":"b","function":{"name":"f","arguments":""}})") +
              calls(R"({"index":0,"function":{"arguments":"{\"y\":2}"}})")) ==
        Texts{"a f {}", R"(b f {"y":2})"});
  // An id made up for each piece.
  CHECK(found(calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}})") +
              calls(R"({"index":0,"id":"b","function":{"arguments":"1}"}})")) ==
        Texts{R"(a f {"x":1})"});
  // Neither index nor id.
  CHECK(
      found(calls(
          R"({"function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"{}"}})")) ==
      Texts{" f {}", " f {}"});
  CHECK(found(calls(R"({"function":{"name":"f","arguments":"{}"}})") +
              calls(R"({"function":{"name":"g","arguments":{"y":2}}})")) ==
        Texts{" f {}", R"( g {"y":2})"});
}

TEST_CASE("the form before tool_calls") {
  CHECK(calls_of(decode_whole(delta(R"({"function_call":{"name":"f","arguments":""}})") +
                              delta(R"({"function_call":{"arguments":"{\"x\":1}"}})") +
                              finish("function_call") + kDone)) == Texts{R"( f {"x":1})"});
}

TEST_CASE("of several candidates the first is read") {
  const AssembledReply reply = decode_whole(
      event(
          R"({"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]})") +
      event(R"({"choices":[{"index":1,"delta":{},"finish_reason":"length"}]})") + finish("stop") +
      kDone);
  REQUIRE(reply.blocks.size() == 1);
  CHECK(reply.blocks[0].text == "yes");
  CHECK(reply.stop->wire == "stop");
}

TEST_CASE("a completion in place of a stream") {
  const AssembledReply reply = decode_whole(
      R"({"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})");
  CHECK_FALSE(reply.failure);
  CHECK(reply.model == "m");
  CHECK(reply.blocks[0].text == "hi");
  CHECK(calls_of(reply) == Texts{"a f {}"});
  CHECK(reply.usage.output_tokens == 2);
  CHECK(decode_whole(R"({"error":{"message":"x","type":"invalid_request_error"}})")
            .failure->failure_class == FailureClass::invalid_request);
  CHECK(decode_whole(R"({"object":"list"})").failure->failure_class ==
        FailureClass::empty_response);
}

TEST_CASE("a refusal in the model's words") {
  const AssembledReply reply = decode_whole(
      delta(R"({"refusal":"I will "})") + delta(R"({"refusal":"not."})") + finish("stop") + kDone);
  REQUIRE(reply.stop);
  CHECK(reply.stop->reason == StopReason::refusal);
  CHECK(reply.stop->explanation == "I will not.");
}

TEST_CASE("think tags: only where asked for, only at the beginning, holding nothing else back") {
  const OpenAiChatDecoderOptions tags{.think_tags = true};
  const std::string body = delta(R"({"content":"\n<think>a</think>b"})") + finish("stop") + kDone;
  CHECK(decode_whole(body).blocks.size() == 1);
  CHECK(decode_whole(body, tags).blocks.size() == 2);
  const auto text_so_far = [&](const std::string& content) {
    OpenAiChatDecoder decoder(tags);
    ModelEvents events;
    decoder.feed(delta(R"({"content":")" + content + R"("})"), events);
    AssembledReply reply;
    reply.take(events);
    return reply.blocks.empty() ? "" : reply.blocks.back().text;
  };
  CHECK(text_so_far("<th").empty());
  CHECK(text_so_far("<table") == "<table");
  CHECK(text_so_far("x <think>") == "x <think>");
  CHECK(text_so_far("<think>a</th") == "a");
  CHECK(text_so_far("<think>a</thx") == "a</thx");
  CHECK(decode_whole(delta(R"({"content":"<thi"})") + kDone, tags).blocks[0].text == "<thi");
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD") {
  const AssembledReply reply =
      decode_whole(delta("{\"content\":\"a\xFF\"}") + finish("stop") + kDone);
  CHECK(reply.blocks[0].text == "a\xEF\xBF\xBD");
}
