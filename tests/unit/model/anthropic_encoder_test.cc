// The encoder against the strict API, and what it costs: bytes made once, marks that disturb
// nothing.
#include "model/anthropic_encoder.h"

#include <doctest/doctest.h>

#include "model/wire_names.h"
#include "support/strict_api.h"
#include "unit/model/encoder_talk.h"

using namespace agentd;
using namespace agentd::model;
using namespace agentd::test;

namespace {

MessagePtr assistant(const std::string& text) {
  return message(Role::assistant, {TextBlock{text}});
}

std::string encode(AnthropicEncoderCache& cache, const ModelRequest& request) {
  return joined(cache.encode(request));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// A conversation of `turns` turns with a call each.
std::vector<MessagePtr> conversation(int turns) {
  std::vector<MessagePtr> messages{user("do it")};
  for (int i = 0; i < turns; ++i) {
    const std::string id = "toolu_" + std::to_string(i);
    messages.push_back(message(Role::assistant, {ToolUseBlock{id, "Read", {{"n", i}}}}));
    messages.push_back(message(
        Role::user, {ToolResultBlock{id, {TextBlock{"result " + std::to_string(i)}}, false}}));
  }
  return messages;
}

}  // namespace

TEST_CASE("every kind of block, as the strict API takes it") {
  std::vector<MessagePtr> messages = {
      message(Role::user,
              {TextBlock{"see \"this\"\n\xE4\xBD\xA0"}, ImageBlock{"image/png", "AAAA"}}),
      message(Role::assistant,
              {ThinkingBlock{"", "SIG=="}, RedactedThinkingBlock{"BLOB"}, TextBlock{"ok"},
               OpaqueBlock{"server_tool_use", R"({"type":"server_tool_use","id":"s1"})"},
               ToolUseBlock{"toolu_1", "Read", {{"path", "a"}}},
               ToolUseBlock{"Read:0", "no such tool", Json::object()}}),
      message(Role::user,
              {ToolResultBlock{"toolu_1", {TextBlock{"x"}, ImageBlock{"image/gif", "BB"}}, false},
               ToolResultBlock{"Read:0", {TextBlock{" \n"}}, true}, TextBlock{"note"}})};
  AnthropicEncoderCache cache;
  const std::string body = encode(cache, request_of(messages));
  CAPTURE(body);
  test::StrictApi api;
  api.issued_thinking("", "SIG==");
  CHECK(api.refusal(body).value_or("") == "");

  const Json json = Json::parse(body);
  const Json& reply = json["messages"][1]["content"];
  CHECK(reply[0] == Json{{"type", "thinking"}, {"thinking", ""}, {"signature", "SIG=="}});
  CHECK(reply[1] == Json{{"type", "redacted_thinking"}, {"data", "BLOB"}});
  CHECK(body.find(R"({"type":"server_tool_use","id":"s1"})") != std::string::npos);
  const std::string id = reply[5]["id"];
  CHECK(id != "Read:0");
  CHECK(json["messages"][2]["content"][1]["tool_use_id"] == id);
  CHECK_FALSE(json["messages"][2]["content"][1].contains("content"));
  CHECK(json["messages"][2]["content"][1]["is_error"] == true);
  CHECK(json["max_tokens"] == 32'000);
  CHECK_FALSE(json.contains("thinking"));
  CHECK(json["stream"] == true);
  CHECK(json["model"] == "model-x");
  CHECK(json["tools"].size() == 2);
}

TEST_CASE("thinking is asked for, and to be shown, where the model decides how much of it") {
  AnthropicEncoderCache cache;
  ModelRequest request = request_of(conversation(1));
  request.adaptive_thinking = true;
  CHECK(Json::parse(encode(cache, request))["thinking"] ==
        Json{{"type", "adaptive"}, {"display", "summarized"}});
}

TEST_CASE("what may change stands last, so that the prefix is the same for every request") {
  AnthropicEncoderCache cache;
  ModelRequest request = request_of(conversation(2));
  const std::string first = encode(cache, request);
  request.max_output_tokens = 64'000;
  const std::string second = encode(cache, request);
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(first.begin(), first.end(), second.begin()).first - first.begin());
  CHECK(first.substr(same).size() < 40);
  CHECK(first.find("\"model\"") < first.find("\"system\""));
  CHECK(first.find("\"system\"") < first.find("\"tools\""));
  CHECK(first.find("\"tools\"") < first.find("\"messages\""));
}

TEST_CASE("a message is encoded once, and its bytes do not change with the marks") {
  AnthropicEncoderCache cache;
  ModelRequest request = request_of(conversation(3));
  request.cache_points = {0, 6};
  const std::string marked = encode(cache, request);
  CHECK(cache.encoded_messages() == 7);
  request.cache_points = {};
  const std::string plain = encode(cache, request);
  CHECK(cache.encoded_messages() == 7);
  std::string stripped = marked;
  const std::string mark = R"(,"cache_control":{"type":"ephemeral"})";
  for (std::size_t at = stripped.rfind(mark); count(stripped, mark) > 1;
       at = stripped.rfind(mark)) {
    stripped.erase(at, mark.size());
  }
  CHECK(stripped == plain);

  request.messages.push_back(assistant("more"));
  (void)encode(cache, request);
  CHECK(cache.encoded_messages() == 8);
}

TEST_CASE("at most four marks: the system text and the last three points that can carry one") {
  AnthropicEncoderCache cache;
  ModelRequest request = request_of(conversation(4));
  request.cache_points = {0, 2, 4, 6, 8};
  const Json body = Json::parse(encode(cache, request));
  CHECK(body["system"][0].contains("cache_control"));
  const auto marked = [&](std::size_t i) {
    return body["messages"][i]["content"].back().contains("cache_control");
  };
  CHECK_FALSE(marked(0));
  CHECK_FALSE(marked(2));
  CHECK(marked(4));
  CHECK(marked(6));
  CHECK(marked(8));

  request.system.clear();
  const Json bare = Json::parse(encode(cache, request));
  CHECK_FALSE(bare.contains("system"));
  CHECK(bare["tools"][1].contains("cache_control"));
  CHECK_FALSE(bare["tools"][0].contains("cache_control"));
}

TEST_CASE("a mark goes to the last block that may carry one") {
  AnthropicEncoderCache cache;
  ModelRequest request =
      request_of({user("a"), message(Role::assistant, {TextBlock{"b"}, ThinkingBlock{"t", "S"}}),
                  user("c"), message(Role::assistant, {ThinkingBlock{"t", "S"}}), user("d")});
  request.cache_points = {1, 3};
  const Json body = Json::parse(encode(cache, request));
  CHECK(body["messages"][1]["content"][0].contains("cache_control"));
  CHECK_FALSE(body["messages"][1]["content"][1].contains("cache_control"));
  CHECK_FALSE(body["messages"][3]["content"][0].contains("cache_control"));
}

TEST_CASE("what the API would refuse is left out") {
  AnthropicEncoderCache cache;
  const std::string body = encode(
      cache, request_of({user("a"), message(Role::assistant, {ThinkingBlock{"t", std::nullopt}}),
                         message(Role::user, {TextBlock{"  "}, TextBlock{"b"}})}));
  const Json json = Json::parse(body);
  REQUIRE(json["messages"].size() == 2);
  CHECK(json["messages"][1]["content"].size() == 1);
}

TEST_CASE("a long conversation stays a few pieces, costs what is new, and can lose its middle") {
  AnthropicEncoderCache cache;
  std::vector<MessagePtr> all = conversation(400);
  AnthropicEncoderCache fresh;
  std::size_t pieces = 0;
  for (std::size_t n = 1; n <= all.size(); n += 2) {
    ModelRequest request = request_of({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)});
    request.cache_points =
        n > 2 ? std::vector<std::size_t>{n - 3, n - 1} : std::vector<std::size_t>{n - 1};
    pieces = std::max(pieces, cache.encode(request).size());
  }
  CHECK(cache.encoded_messages() == all.size());
  CHECK(pieces < 300);

  ModelRequest request = request_of(all);
  request.cache_points = {all.size() - 1};
  const std::string expected = encode(fresh, request);
  CHECK(encode(cache, request) == expected);
  CHECK(test::StrictApi().refusal(expected).value_or("") == "");

  SUBCASE("its middle is replaced") {
    request.messages[200] =
        message(Role::user, {ToolResultBlock{"toolu_99", {TextBlock{"(cleared)"}}, false}});
    AnthropicEncoderCache other;
    const std::string changed = encode(cache, request);
    CHECK(changed == encode(other, request));
    CHECK(changed != expected);
    // And the bytes are whole again for what follows.
    CHECK(encode(cache, request) == changed);
  }
  SUBCASE("its last message is replaced") {
    const std::size_t before = cache.encoded_messages();
    request.messages.back() = message(
        Role::user, {ToolResultBlock{"toolu_399", {TextBlock{"other"}}, false}, TextBlock{"and"}});
    AnthropicEncoderCache other;
    CHECK(encode(cache, request) == encode(other, request));
    CHECK(cache.encoded_messages() == before + 1);
  }
  SUBCASE("it is cut to a few messages") {
    request.messages.resize(3);
    request.cache_points = {2};
    AnthropicEncoderCache other;
    CHECK(encode(cache, request) == encode(other, request));
  }
}

TEST_CASE("names for the wire") {
  CHECK(wire_tool_use_id("toolu_01-Ab") == "toolu_01-Ab");
  CHECK(wire_tool_use_id("Read:0") == wire_tool_use_id("Read:0"));
  CHECK(wire_tool_use_id("Read:0") != wire_tool_use_id("Read.0"));
  CHECK(wire_tool_use_id("").size() > 1);
  CHECK(wire_tool_name("Read") == "Read");
  CHECK(wire_tool_name("my tool") == "my_tool");
  CHECK(wire_tool_name("") == "unnamed");
  CHECK(wire_tool_name(std::string(100, 'a')).size() == 64);
}

TEST_CASE("the choice of tools stands behind the messages, and forbids thinking where it forces") {
  AnthropicEncoderCache cache;
  auto request = request_of({user("hi")});
  request.adaptive_thinking = true;
  const std::string usual = encode(cache, request);
  CHECK(usual.find("tool_choice") == std::string::npos);
  CHECK(usual.find("thinking") != std::string::npos);
  request.tool_choice = {ToolChoiceKind::tool, "Read"};
  const std::string forced = encode(cache, request);
  const std::string by_name = R"("tool_choice":{"type":"tool","name":"Read"})";
  CHECK(forced.find(by_name) > forced.find("messages"));
  CHECK(count(forced, by_name) == 1);
  CHECK(forced.find("thinking") == std::string::npos);
  request.tool_choice = {ToolChoiceKind::any, {}};
  const std::string any = R"("tool_choice":{"type":"any"})";
  CHECK(count(encode(cache, request), any) == 1);
  request.tool_choice = {ToolChoiceKind::none, {}};
  const std::string none = encode(cache, request);
  const std::string by_none = R"("tool_choice":{"type":"none"})";
  CHECK(count(none, by_none) == 1);
  CHECK(none.find("thinking") != std::string::npos);
  request.tools = nullptr;
  CHECK(encode(cache, request).find("tool_choice") == std::string::npos);
}
