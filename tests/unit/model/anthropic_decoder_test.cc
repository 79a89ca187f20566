// AnthropicDecoder by itself: the stream cases in every cut, the short way against the parser, and
// promises that no case holds. The same cases through real HTTP: tests/streams.
#include "model/anthropic_decoder.h"

#include <doctest/doctest.h>

#include "support/assembled_reply.h"
#include "support/decoder_rig.h"
#include "support/stream_case.h"

using namespace agentd;
using namespace agentd::model;
using agentd::test::AssembledReply;
using agentd::test::StreamCase;

namespace {

using Path = AnthropicDecoder::Path;

std::vector<StreamCase> cases() {
  std::vector<StreamCase> found;
  for (StreamCase& one :
       test::load_stream_cases(std::string(AGENTD_SOURCE_DIR) + "/tests/streams/cases", "a-")) {
    // Statuses, gzip and stalls are not the decoder's.
    if (one.status == 200 && one.end != "stall" && one.name != "a-gzip") {
      found.push_back(std::move(one));
    }
  }
  return found;
}

test::MakeDecoder by(Path path) {
  return [path] { return std::make_unique<AnthropicDecoder>(path); };
}

AssembledReply decode_whole(std::string_view body, Path path = Path::usual) {
  return test::decode_whole(by(path), body);
}

std::string event(const std::string& json) {
  return "data: " + json + "\n\n";
}

const std::string kStart =
    event(R"({"type":"message_start","message":{"model":"m","usage":{"input_tokens":3}}})");
const std::string kEnd = event(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})") +
                         event(R"({"type":"message_stop"})");

std::string text_start(int index) {
  return event(R"({"type":"content_block_start","index":)" + std::to_string(index) +
               R"(,"content_block":{"type":"text","text":""}})");
}
std::string text_delta(int index, const std::string& escaped) {
  return event(R"({"type":"content_block_delta","index":)" + std::to_string(index) +
               R"(,"delta":{"type":"text_delta","text":")" + escaped + R"("}})");
}

}  // namespace

TEST_CASE("the stream cases: whole, byte by byte, random cuts; short way and parser alike") {
  const auto all = cases();
  REQUIRE(all.size() >= 35);
  for (const StreamCase& one : all) {
    test::check_every_cut(one, by(Path::usual), by(Path::parser_only));
  }
}

TEST_CASE("deltas of one block in one chunk are one event") {
  ModelEvents events;
  AnthropicDecoder decoder;
  decoder.feed(kStart + text_start(0) + text_delta(0, "a") + text_delta(0, "b"), events);
  REQUIRE(std::holds_alternative<Delta>(events.back()));
  CHECK(std::get<Delta>(events.back()).text == "ab");
}

TEST_CASE("the short way gives what the parser gives") {
  for (
      const std::string delta :
      {R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}   }  )",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x" } })",
       R"({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}})",
       R"({"delta":{"text":"x","type":"text_delta"},"index":0,"type":"content_block_delta"})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x","more":1}})",
       R"({"type":"content_block_delta","index":00,"delta":{"type":"text_delta","text":"x"}})",
       R"({"type":"content_block_delta","index":0.0,"delta":{"type":"text_delta","text":"x"}})",
       R"({"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"x"}})",
       R"({"type":"content_block_delta","index":123456789,"delta":{"type":"text_delta","text":"x"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u4f60\n\ud83d\ude00\ud83d\"\\"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\q"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}x)",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"x"}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":\"\u00e9\"}"}})"}) {
    CAPTURE(delta);
    const std::string tool = event(
        R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}})");
    const std::string body = kStart + text_start(0) + tool + event(delta) + kEnd;
    CHECK(decode_whole(body).summary() == decode_whole(body, Path::parser_only).summary());
  }
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD, on both ways") {
  for (const Path path : {Path::usual, Path::parser_only}) {
    const AssembledReply reply =
        decode_whole(kStart + text_start(0) + text_delta(0, "a\xFF\xC3") + kEnd, path);
    REQUIRE(reply.blocks.size() == 1);
    CHECK(reply.blocks[0].text == "a\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(reply.broken.empty());
  }
}

TEST_CASE("an unknown block is kept as it came, byte for byte") {
  const std::string block =
      R"({"zeta" : 1.50, "type":"web_search_tool_result","content":[{"b":1,"a":2}]})";
  const AssembledReply reply = decode_whole(
      kStart + event(R"({"type":"content_block_start","index":0,"content_block":)" + block + "}") +
      event(R"({"type":"content_block_stop","index":0})") + kEnd);
  REQUIRE(reply.blocks.size() == 1);
  CHECK(reply.blocks[0].data == block);
}

TEST_CASE("what an unknown block hears later is set in it") {
  const AssembledReply reply = decode_whole(
      kStart +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}})") +
      event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"sum"}})") +
      event(R"({"type":"content_block_stop","index":0})") +
      event(
          R"({"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","input":{},"id":"s"}})") +
      event(
          R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}})") +
      event(
          R"({"type":"content_block_start","index":2,"content_block":{"type":"odd","text":"a"}})") +
      text_delta(2, "b\\\"") + kEnd);
  REQUIRE(reply.blocks.size() == 3);
  CHECK(reply.blocks[0].data == R"({"type":"compaction","content":"sum"})");
  CHECK(reply.blocks[1].data == R"({"type":"server_tool_use","input":{"q":1},"id":"s"})");
  CHECK(reply.blocks[2].data == R"({"type":"odd","text":"ab\""})");
}

TEST_CASE("a failure after the stop reason is a normal end, before it a failure") {
  const std::string text = kStart + text_start(0) + text_delta(0, "hi");
  const std::string stop = event(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})");
  const std::string error =
      event(R"({"type":"error","error":{"type":"overloaded_error","message":"o"}})");
  CHECK_FALSE(decode_whole(text + stop + error).failure);
  CHECK_FALSE(decode_whole(text + stop + event("{broken")).failure);
  CHECK_FALSE(decode_whole(text + stop + "data: {\"type\":\"message_s").failure);
  CHECK(decode_whole(text + error).failure->failure_class == FailureClass::overloaded);
  CHECK(decode_whole(text + event("{broken")).failure->failure_class ==
        FailureClass::malformed_event);
  CHECK(decode_whole(text + "data: {\"type\":\"message_s").failure->failure_class ==
        FailureClass::stream_truncated);
}

TEST_CASE("bodies that are no stream") {
  const auto class_of = [](std::string_view body) {
    const AssembledReply reply = test::decode(by(Path::usual), body, [] { return std::size_t{2}; });
    REQUIRE(reply.failure);
    return reply.failure->failure_class;
  };
  CHECK(class_of("") == FailureClass::empty_response);
  CHECK(class_of(" \r\n\n") == FailureClass::empty_response);
  CHECK(class_of(": ping\n\n: ping\n\n") == FailureClass::empty_response);
  CHECK(class_of("event: ping\ndata: {\"type\":\"ping\"}\n\n") == FailureClass::empty_response);
  CHECK(class_of("\xEF\xBB\xBF<!DOCTYPE html><html>") == FailureClass::not_sse);
  CHECK(class_of("upstream connect error") == FailureClass::not_sse);
  CHECK(class_of("{\"cut") == FailureClass::malformed_event);
  CHECK(class_of("{}") == FailureClass::empty_response);
  CHECK(class_of(R"({"detail":"no"})") == FailureClass::api_error);
  CHECK(class_of(kStart) == FailureClass::stream_truncated);
}

TEST_CASE("a stop that never came is made up for only when the reply is whole") {
  const std::string open =
      kStart +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}})") +
      event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}})");
  CHECK(decode_whole(open + kEnd).blocks.at(0).ended);
  CHECK_FALSE(decode_whole(open).blocks.at(0).ended);
}

TEST_CASE("an empty call ends when the reply moves on, not at its stop") {
  AnthropicDecoder decoder;
  const auto feed = [&](const std::string& bytes) {
    ModelEvents events;
    decoder.feed(bytes, events);
    return events;
  };
  feed(
      kStart +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}})"));
  CHECK(feed(event(R"({"type":"content_block_stop","index":0})")).empty());
  const ModelEvents moved_on = feed(text_start(1));
  REQUIRE(moved_on.size() == 2);
  CHECK(std::get<BlockEnded>(moved_on[0]).block == 0);
  CHECK(std::get<BlockBegan>(moved_on[1]).block == 1);
}

TEST_CASE("a second message start leaves the first one's open blocks unfinished") {
  const AssembledReply reply = decode_whole(kStart + text_start(0) + text_delta(0, "a") + kStart +
                                            text_start(0) + text_delta(0, "b") + kEnd);
  REQUIRE(reply.blocks.size() == 2);
  CHECK_FALSE(reply.blocks[0].ended);
  CHECK(reply.blocks[1].ended);
  CHECK(reply.blocks[1].text == "b");
}

TEST_CASE("the refusal's explanation and an unknown stop reason come through") {
  const AssembledReply refused = decode_whole(
      kStart +
      event(
          R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"no"}}})"));
  REQUIRE(refused.stop);
  CHECK(refused.stop->reason == StopReason::refusal);
  CHECK(refused.stop->explanation == "no");
  const AssembledReply odd = decode_whole(
      kStart + event(R"({"type":"message_delta","delta":{"stop_reason":"brand_new"}})"));
  REQUIRE(odd.stop);
  CHECK(odd.stop->reason == StopReason::unknown);
  CHECK(odd.stop->wire == "brand_new");
}

TEST_CASE("JSON of hostile shapes does not throw") {
  for (
      const std::string payload :
      {R"({"type":1})", R"({"type":"message_start","message":[]})",
       R"({"type":"content_block_start","index":"x","content_block":"y"})",
       R"({"type":"content_block_start","content_block":{"type":7,"id":{}}})",
       R"({"type":"content_block_delta","delta":null})", R"({"type":"content_block_delta"})",
       R"({"type":"content_block_delta","index":99999999999999999999,"delta":{"type":"text_delta","text":5}})",
       R"({"type":"message_delta","delta":{"stop_reason":5},"usage":"no"})"}) {
    CAPTURE(payload);
    const AssembledReply reply = decode_whole(kStart + event(payload));
    CHECK(reply.ended);
    CHECK(reply.broken.empty());
  }
  const std::string deep = "{\"type\":\"x\",\"a\":" + std::string(100'000, '[');
  CHECK(decode_whole(kStart + event(deep)).failure->failure_class == FailureClass::malformed_event);
}

TEST_CASE("deltas of an unknown block are put into it once, as if each had been at once") {
  const auto delta = [](const std::string& fields) {
    return event(R"({"type":"content_block_delta","index":0,"delta":{)" + fields + "}}");
  };
  const auto data_after = [&](const std::string& deltas) {
    const AssembledReply reply = decode_whole(
        kStart +
        event(
            R"({"type":"content_block_start","index":0,"content_block":{ "type":"fancy", "text":"\u0061" , "n":1}})") +
        deltas + event(R"({"type":"content_block_stop","index":0})") + kEnd);
    REQUIRE(reply.blocks.size() == 1);
    return reply.blocks[0].data;
  };
  const std::string text_b = delta(R"("type":"text_delta","text":"b\"\n")");
  CHECK(data_after("") == R"({ "type":"fancy", "text":"\u0061" , "n":1})");
  CHECK(data_after(text_b + text_b) == R"({ "type":"fancy", "text":"ab\"\nb\"\n" , "n":1})");
  // Set in between: what came before is gone, what comes after is added to it.
  CHECK(data_after(text_b + delta(R"("type":"x_delta","text":"c","n":[1, 2])") + text_b) ==
        R"({ "type":"fancy", "text":"cb\"\n" , "n":[1,2]})");
  CHECK(data_after(delta(R"("type":"x_delta","text":7)") + text_b) ==
        R"({ "type":"fancy", "text":"b\"\n" , "n":1})");
  // New members in the order they were first heard of; input last.
  CHECK(data_after(delta(R"("type":"input_json_delta","partial_json":"{}")") +
                   delta(R"("type":"x_delta","z":1)") +
                   delta(R"("type":"thinking_delta","thinking":"t")") +
                   delta(R"("type":"x_delta","a\"b":2,"z":3)")) ==
        R"({ "type":"fancy", "text":"\u0061" , "n":1,"z":3,"thinking":"t","a\"b":2,"input":{}})");
}

TEST_CASE("20 000 deltas to an unknown block cost no more than 20 000 of any") {
  constexpr int kDeltas = 20'000;
  const std::string piece(100, 'p');
  std::string body =
      kStart +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"fancy","text":""}})");
  std::string text;
  for (int i = 0; i < kDeltas; ++i) {
    body += text_delta(0, piece);
    body += event(R"({"type":"content_block_delta","index":0,"delta":{"type":"x_delta","last":)" +
                  std::to_string(i) + R"(,"key)" + std::to_string(i) + R"(":0}})");
    text += piece;
  }
  body += event(R"({"type":"content_block_stop","index":0})") + kEnd;
  const AssembledReply reply = decode_whole(body);
  REQUIRE(reply.blocks.size() == 1);
  const Json block = Json::parse(reply.blocks[0].data);
  CHECK(block.at("text") == text);
  CHECK(block.at("last") == kDeltas - 1);
  CHECK(block.size() == 2 + 31);  // members without end are left out
}
