// What a kill left open gets its end: each open call its one result, each part its closing one.
#include "session/interrupted.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace agentd;
using namespace agentd::session;

namespace {

Part part(std::int64_t number, const std::string& method, const std::string& params) {
  return {number, "r1", method, params, 0};
}

DraftBlock call(const std::string& id, bool began, std::optional<std::string> result = {}) {
  DraftBlock block{ToolUseBlock{id, "Bash", {{"command", "x"}}}, began, std::nullopt};
  if (result) block.result = ToolResultBlock{id, {TextBlock{*result}}, false};
  return block;
}

std::string methods(const std::vector<ClosingPart>& parts) {
  std::string out;
  for (const auto& each : parts) out += std::string(each.method) + ' ';
  return out;
}

Json params(const ClosingPart& closing) {
  return Json::parse('{' + closing.params + '}');
}

std::string text_of_result(const Message& answer, std::size_t index) {
  return text_of(std::get<ToolResultBlock>(answer.blocks.at(index)).content);
}

}  // namespace

TEST_CASE("nothing was under way: nothing is closed") {
  CHECK(closed_reply({}).empty());
  CHECK(closing_parts({}, {})->empty());
  const std::vector<Part> whole = {
      part(1, "agent/runStarted", "{}"), part(2, "agent/turnStarted", R"({"turn":1})"),
      part(3, "agent/turnEnded", R"({"turn":1})"), part(4, "agent/runEnded", R"({"turns":1})")};
  CHECK(closing_parts(whole, {})->empty());
}

TEST_CASE("each call of a reply that was under way gets one result, in order") {
  const std::vector<DraftBlock> draft = {{TextBlock{"I look."}, false, std::nullopt},
                                         call("t1", true, "done"),
                                         call("t2", true),
                                         call("t3", false)};
  const auto closed = closed_reply(draft);
  REQUIRE(closed.size() == 2);
  CHECK(closed[0].role == Role::assistant);
  CHECK(closed[0].blocks.size() == 4);
  const Message& answer = closed[1];
  REQUIRE(answer.blocks.size() == 4);  // three results and a note
  CHECK(text_of_result(answer, 0) == "done");
  CHECK(!std::get<ToolResultBlock>(answer.blocks[0]).is_error);
  CHECK(text_of_result(answer, 1).find("may have run") != std::string::npos);
  CHECK(std::get<ToolResultBlock>(answer.blocks[1]).is_error);
  CHECK(text_of_result(answer, 2).find("Not run") != std::string::npos);
  CHECK(std::holds_alternative<TextBlock>(answer.blocks[3]));
}

TEST_CASE("of a reply that was cut no thinking is left at its end, nor what was not signed") {
  const Block signed_thinking = ThinkingBlock{"so", "SIG=="};
  const Block unsigned_thinking = ThinkingBlock{"so", std::nullopt};
  const Block redacted = RedactedThinkingBlock{"opaque=="};
  const Block text = TextBlock{"I look."};
  const Block blank = TextBlock{" \n"};
  const Block opaque = OpaqueBlock{"server_tool_use", "{}"};
  const Block use = ToolUseBlock{"t1", "Bash", {{"command", "x"}}};
  struct Row {
    std::vector<Block> draft;
    std::string kept;  // the kinds of the blocks, by their place in Block
  };
  const auto kinds = [](const std::vector<Block>& blocks) {
    std::string out;
    for (const Block& block : blocks) out += std::to_string(block.index());
    return out;
  };
  const Row rows[] = {
      {{signed_thinking}, ""},
      {{redacted}, ""},
      {{unsigned_thinking}, ""},
      {{signed_thinking, redacted, blank}, ""},
      {{signed_thinking, text}, kinds({signed_thinking, text})},
      {{unsigned_thinking, text}, kinds({text})},
      {{signed_thinking, text, signed_thinking, redacted}, kinds({signed_thinking, text})},
      {{signed_thinking, use}, kinds({signed_thinking, use})},
      {{signed_thinking, opaque, unsigned_thinking}, kinds({signed_thinking, opaque})},
  };
  for (const Row& row : rows) {
    CAPTURE(kinds(row.draft));
    std::vector<DraftBlock> draft;
    for (const Block& block : row.draft) draft.push_back({block, false, std::nullopt});
    const auto closed = closed_reply(draft);
    REQUIRE(closed.size() == (row.kept.empty() ? 0 : 2));
    if (!closed.empty()) CHECK(kinds(closed[0].blocks) == row.kept);
  }
}

TEST_CASE("parts that were open are closed in the order of the protocol") {
  const std::vector<Part> parts = {
      part(1, "agent/runStarted", R"({"model":"m"})"),
      part(2, "agent/turnStarted", R"({"turn":2})"),
      part(3, "agent/toolUse", R"({"toolUseId":"t1","name":"Bash","state":"started"})"),
      part(4, "agent/toolUse", R"({"toolUseId":"t1","name":"Bash","state":"running"})"),
      part(5, "agent/toolUse", R"({"toolUseId":"t2","name":"Bash","state":"started"})"),
      part(6, "agent/approvalRequested", R"({"toolUseId":"t2","name":"Bash"})"),
      part(7, "agent/toolUse", R"({"toolUseId":"t3","name":"Ask","state":"started"})"),
      part(8, "agent/questionAsked", R"({"toolUseId":"t3"})"),
      part(9, "agent/toolUse", R"({"toolUseId":"t4","name":"Read","state":"started"})"),
      part(10, "agent/toolResult", R"({"toolUseId":"t4"})"),
  };
  const auto closing = closing_parts(parts, {call("t1", true), call("t2", false)});
  REQUIRE(closing.has_value());
  CHECK(methods(*closing) ==
        "agent/approvalResolved agent/questionResolved agent/toolResult agent/toolResult "
        "agent/toolResult agent/turnEnded agent/runEnded ");
  CHECK(params((*closing)[0])["decision"] == "deny");
  CHECK(params((*closing)[2])["toolUseId"] == "t1");
  CHECK(params((*closing)[2])["status"] == "cancelled");
  CHECK(params((*closing)[2])["content"][0]["text"].get<std::string>().find("may have run") !=
        std::string::npos);
  CHECK(params((*closing)[5])["turn"] == 2);
  CHECK(params((*closing)[6])["ending"] == "aborted_tools");
  // It may have been a rewind or a fork that cut the run.
  const std::string why = params((*closing)[6])["message"];
  CHECK(why.find("agentd was stopped, or the session was cut") != std::string::npos);
}

TEST_CASE("a call whose result was kept and not yet told is told with it") {
  const std::vector<Part> parts = {
      part(1, "agent/runStarted", R"({"model":"m"})"),
      part(2, "agent/toolUse", R"({"toolUseId":"t1","name":"Bash","state":"running"})")};
  const auto closing = closing_parts(parts, {call("t1", true, "all well")});
  REQUIRE(closing.has_value());
  CHECK(params((*closing)[0])["status"] == "completed");
  CHECK(params((*closing)[0])["content"][0]["text"] == "all well");
}

TEST_CASE("messages that were accepted and never told are handed back with the run's end") {
  const std::vector<Part> parts = {
      part(1, "agent/runStarted", R"({"model":"m"})"),
      part(2, "agent/send", R"({"messageId":"m1","prompt":[{"type":"text","text":"one"}]})"),
      part(3, "agent/send", R"({"messageId":"m2","prompt":[{"type":"text","text":"two"}]})"),
      part(4, "agent/send", R"({"messageId":"m3","prompt":[{"type":"text","text":"three"}]})"),
      part(5, "agent/attachment", R"({"kind":"message","title":"x","messageId":"m1"})"),
      part(6, "agent/unsend", R"({"messageId":"m2"})")};
  const auto closing = closing_parts(parts, {});
  REQUIRE(closing.has_value());
  const Json end = params(closing->back());
  REQUIRE(end["notDelivered"].size() == 1);
  CHECK(end["notDelivered"][0]["messageId"] == "m3");
  CHECK(end["notDelivered"][0]["prompt"][0]["text"] == "three");
}

TEST_CASE("a part that cannot be read is an error") {
  CHECK(!closing_parts({part(1, "agent/runStarted", "{")}, {}).has_value());
}
