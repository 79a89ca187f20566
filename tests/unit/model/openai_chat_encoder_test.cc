// The encoder against the strict API, and what it costs: bytes made once, the request before as the
// beginning of the next.
#include "model/openai_chat_encoder.h"

#include <doctest/doctest.h>

#include "support/strict_chat_api.h"
#include "unit/model/encoder_talk.h"

using namespace agentd;
using namespace agentd::model;
using namespace agentd::test;

namespace {

const ChatDialect kReasoning{.reasoning = ReasoningMember::reasoning_content};

std::string encode(OpenAiChatEncoderCache& cache, const ModelRequest& request,
                   const ChatDialect& dialect = {}) {
  std::string body = joined(cache.encode(request, dialect));
  CAPTURE(body);
  CHECK(test::StrictChatApi().refusal(body).value_or("") == "");
  return body;
}

Json encoded(const ModelRequest& request, const ChatDialect& dialect = {}) {
  OpenAiChatEncoderCache cache;
  return Json::parse(encode(cache, request, dialect));
}

MessagePtr call(int number, const std::string& thinking = "") {
  std::vector<Block> blocks;
  if (!thinking.empty()) blocks.emplace_back(ThinkingBlock{thinking, {}});
  blocks.emplace_back(ToolUseBlock{"call_" + std::to_string(number), "Read", {{"n", number}}});
  return message(Role::assistant, std::move(blocks));
}
MessagePtr result(int number) {
  return message(Role::user, {ToolResultBlock{"call_" + std::to_string(number),
                                              {TextBlock{"result " + std::to_string(number)}},
                                              false}});
}

// What of `older` the `newer` request begins with, its tail aside.
bool begins_with(const std::string& newer, const std::string& older) {
  const std::string messages = older.substr(0, older.rfind("],\"stream\""));
  return newer.starts_with(messages);
}

}  // namespace

TEST_CASE("every kind of block, as the strict API takes it") {
  const Json body = encoded(request_of(
      {message(Role::user, {TextBlock{"see \"this\""}, ImageBlock{"image/png", "AAAA"}}),
       message(Role::assistant, {ThinkingBlock{"signed", "SIG"}, ThinkingBlock{"plain", {}},
                                 RedactedThinkingBlock{"BLOB"}, TextBlock{" \n"}, TextBlock{"ok"},
                                 OpaqueBlock{"server_tool_use", R"({"type":"server_tool_use"})"},
                                 ToolUseBlock{"call_1", "Read", {{"path", "a\n"}}},
                                 ToolUseBlock{"functions.x:0", "no such tool", Json::object()}}),
       message(Role::user, {ToolResultBlock{"call_1", {TextBlock{"x"}, TextBlock{"y"}}, false},
                            ToolResultBlock{"functions.x:0", {TextBlock{"no such tool"}}, true},
                            TextBlock{"note"}})}));
  CHECK(body["messages"] == Json::parse(R"([
    {"role": "system", "content": "You are good."},
    {"role": "user", "content": [{"type": "text", "text": "see \"this\""},
      {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
    {"role": "assistant", "content": "ok", "tool_calls": [
      {"id": "call_1", "type": "function",
       "function": {"name": "Read", "arguments": "{\"path\":\"a\\n\"}"}},
      {"id": "functions.x:0", "type": "function",
       "function": {"name": "no_such_tool", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "x\ny"},
    {"role": "tool", "tool_call_id": "functions.x:0", "content": "Error: no such tool"},
    {"role": "user", "content": "note"}])"));
  CHECK(body["model"] == "model-x");
  CHECK(body["stream"] == true);
  CHECK(body["stream_options"] == Json{{"include_usage", true}});
  CHECK(body["tools"][1]["type"] == "function");
  CHECK(body["tools"][1]["function"] == Json{{"name", "Bash"},
                                             {"description", "Runs \"it\"."},
                                             {"parameters", {{"type", "object"}}}});
}

TEST_CASE("images of results follow in a user's message that says whose they are") {
  const Json body = encoded(request_of(
      {user("look"), call(1),
       message(Role::user, {ToolResultBlock{"call_1", {ImageBlock{"image/gif", "BB"}}, false},
                            TextBlock{"and?"}})}));
  const Json& messages = body["messages"];
  REQUIRE(messages.size() == 5);
  CHECK(messages[3]["role"] == "tool");
  CHECK(messages[3]["content"].get<std::string>().find("next message") != std::string::npos);
  const Json& parts = messages[4]["content"];
  REQUIRE(parts.size() == 3);
  CHECK(parts[0]["text"].get<std::string>().find("call_1") != std::string::npos);
  CHECK(parts[1]["image_url"]["url"] == "data:image/gif;base64,BB");
  CHECK(parts[2]["text"] == "and?");
}

TEST_CASE("what would be empty") {
  ModelRequest request = request_of(
      {user("a"), message(Role::assistant, {ThinkingBlock{"only", {}}}), user("b"), call(1),
       message(Role::user, {ToolResultBlock{"call_1", {TextBlock{" "}}, false}})});
  Json body = encoded(request);
  CHECK(body["messages"].size() == 5);
  CHECK(body["messages"][3]["content"].is_null());
  CHECK(body["messages"][4]["content"] == "(no output)");

  request.system = " \n";
  request.tools = nullptr;
  body = encoded(request);
  CHECK(body["messages"][0]["role"] == "user");
  CHECK_FALSE(body.contains("tools"));
}

TEST_CASE("the limit: under the name that the endpoint knows, or not at all") {
  ModelRequest request = request_of({user("a")});
  request.max_output_tokens = 0;
  CHECK_FALSE(encoded(request).contains("max_tokens"));
  request.max_output_tokens = 500;
  CHECK(encoded(request)["max_tokens"] == 500);
  const ChatDialect newer{.limit = LimitParameter::max_completion_tokens, .stream_options = false};
  CHECK(encoded(request, newer)["max_completion_tokens"] == 500);
  CHECK_FALSE(encoded(request, newer).contains("stream_options"));
}

TEST_CASE("reasoning goes back within its loop, under the name it came with") {
  const auto carried = [](const Json& body) {
    std::string seen;
    for (const Json& one : body["messages"]) {
      for (const char* key : {"reasoning_content", "reasoning"}) {
        if (one.contains(key)) seen += std::string(key) + "=" + one[key].get<std::string>() + " ";
      }
    }
    return seen;
  };
  std::vector<MessagePtr> loop{user("do it"), call(1, "first"), result(1), call(2, "second"),
                               result(2)};
  CHECK(carried(encoded(request_of(loop))) == "");
  CHECK(carried(encoded(request_of(loop), kReasoning)) ==
        "reasoning_content=first reasoning_content=second ");
  CHECK(carried(encoded(request_of(loop), {.reasoning = ReasoningMember::reasoning})) ==
        "reasoning=first reasoning=second ");
  // Text that was put to the results is not a new question.
  loop.back() = message(
      Role::user, {ToolResultBlock{"call_2", {TextBlock{"x"}}, false}, TextBlock{"by the way"}});
  CHECK(carried(encoded(request_of(loop), kReasoning)) ==
        "reasoning_content=first reasoning_content=second ");
  loop.push_back(message(Role::assistant, {ThinkingBlock{"third", {}}, TextBlock{"done"}}));
  loop.push_back(user("next"));
  CHECK(carried(encoded(request_of(loop), kReasoning)) == "");
}

TEST_CASE("a long run: a message is encoded once, each request begins with the one before") {
  OpenAiChatEncoderCache cache;
  std::vector<MessagePtr> messages{user("do it")};
  std::string before = encode(cache, request_of(messages), kReasoning);
  for (int i = 0; i < 150; ++i) {
    messages.push_back(call(i, "think " + std::to_string(i)));
    messages.push_back(result(i));
    ModelRequest request = request_of(messages);
    static const auto tools = request.tools;
    request.tools = tools;
    request.max_output_tokens = i;
    const BodyPieces pieces = cache.encode(request, kReasoning);
    CHECK(pieces.size() < 110);
    const std::string body = joined(pieces);
    CHECK(begins_with(body, before));
    before = body;
  }
  CHECK(cache.encoded_messages() == 301);
  CHECK(test::StrictChatApi().refusal(before).value_or("") == "");
}

TEST_CASE("the cache gives what a fresh one gives, whatever changes") {
  OpenAiChatEncoderCache cache;
  std::vector<MessagePtr> messages{user("do it")};
  for (int i = 0; i < 120; ++i) {
    messages.push_back(call(i, i % 3 == 0 ? "think" : ""));
    messages.push_back(result(i));
  }
  const auto check = [&](const ModelRequest& request, const ChatDialect& dialect = kReasoning) {
    OpenAiChatEncoderCache fresh;
    CHECK(encode(cache, request, dialect) == encode(fresh, request, dialect));
  };
  check(request_of(messages));
  check(request_of(messages), {});
  check(request_of(messages));
  messages.push_back(message(Role::assistant, {TextBlock{"done"}}));
  messages.push_back(user("next"));
  check(request_of(messages));
  messages.erase(messages.begin() + 1, messages.begin() + 41);
  check(request_of(messages));
  ModelRequest other = request_of(messages);
  other.system = "";
  check(other);
  other.model = "another";
  check(other);
  messages.resize(1);
  check(request_of(messages));
}

TEST_CASE("the choice of tools, in this API's words") {
  auto request = request_of({user("hi")});
  CHECK(!encoded(request).contains("tool_choice"));
  request.tool_choice = {ToolChoiceKind::any, {}};
  CHECK(encoded(request)["tool_choice"] == "required");
  request.tool_choice = {ToolChoiceKind::none, {}};
  CHECK(encoded(request)["tool_choice"] == "none");
  request.tool_choice = {ToolChoiceKind::tool, "Read"};
  CHECK(encoded(request)["tool_choice"]["function"]["name"] == "Read");
}
