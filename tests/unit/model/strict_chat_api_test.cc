// The strict Chat Completions API refuses what the real one refuses: one body per rule.
#include "support/strict_chat_api.h"

#include <doctest/doctest.h>

#include <functional>

#include "message/message.h"

using namespace agentd;
using namespace agentd::test;

namespace {

const char* const kGood = R"({
  "model": "m", "stream": true, "stream_options": {"include_usage": true},
  "tools": [{"type": "function", "function": {"name": "Read", "parameters": {"type": "object"}}}],
  "messages": [
    {"role": "system", "content": "Be good."},
    {"role": "user", "content": [{"type": "text", "text": "hi"},
      {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{}"}},
      {"id": "b", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "b", "content": "x"},
    {"role": "tool", "tool_call_id": "a", "content": "y"},
    {"role": "assistant", "content": "done"},
    {"role": "user", "content": "thanks"}
  ]})";

struct Spoiling {
  const char* what;
  std::function<void(Json&)> spoil;
  const char* complaint;
};

}  // namespace

TEST_CASE("a good body is taken") {
  CHECK(StrictChatApi().refusal(kGood).value_or("") == "");
}

TEST_CASE("each rule, broken alone") {
  const std::vector<Spoiling> spoilings = {
      {"no messages", [](Json& b) { b["messages"] = Json::array(); }, "empty array"},
      {"unknown role", [](Json& b) { b["messages"][1]["role"] = "person"; }, "'person'"},
      {"no answer to a call", [](Json& b) { b["messages"].erase(3); }, "did not have response"},
      {"no answer at the end",
       [](Json& b) { b["messages"].erase(b["messages"].begin() + 4, b["messages"].end()); },
       "did not have response"},
      {"an answer without a call", [](Json& b) { b["messages"].erase(2); }, "preceeding message"},
      {"two answers to a call",
       [](Json& b) { b["messages"].insert(b["messages"].begin() + 5, b["messages"][4]); },
       "preceeding message"},
      {"null without calls", [](Json& b) { b["messages"][5]["content"] = nullptr; }, "got null"},
      {"no calls in a list of them",
       [](Json& b) { b["messages"][2]["tool_calls"] = Json::array(); }, "empty array"},
      {"an empty id", [](Json& b) { b["messages"][2]["tool_calls"][0]["id"] = ""; },
       "empty string"},
      {"one id twice", [](Json& b) { b["messages"][2]["tool_calls"][0]["id"] = "b"; }, "Duplicate"},
      {"a name that is none",
       [](Json& b) { b["messages"][2]["tool_calls"][0]["function"]["name"] = "my tool"; },
       "does not match pattern"},
      {"arguments as an object",
       [](Json& b) { b["messages"][2]["tool_calls"][0]["function"]["arguments"] = Json::object(); },
       "expected a string"},
      {"arguments that are no object",
       [](Json& b) { b["messages"][2]["tool_calls"][0]["function"]["arguments"] = "{"; },
       "not a JSON object"},
      {"an image in a result",
       [](Json& b) { b["messages"][3]["content"] = b["messages"][1]["content"]; }, "not expected"},
      {"empty text", [](Json& b) { b["messages"][6]["content"] = ""; }, "Empty"},
      {"no tools in a list of them", [](Json& b) { b["tools"] = Json::array(); }, "empty array"},
      {"two limits",
       [](Json& b) {
         b["max_tokens"] = 1;
         b["max_completion_tokens"] = 1;
       },
       "at the same time"},
      {"stream options without a stream", [](Json& b) { b.erase("stream"); }, "only allowed"},
      {"a parameter of another API", [](Json& b) { b["system"] = "x"; }, "Unknown parameter"},
  };
  for (const Spoiling& spoiling : spoilings) {
    CAPTURE(spoiling.what);
    Json body = Json::parse(kGood);
    spoiling.spoil(body);
    const auto refusal = StrictChatApi().refusal(body.dump());
    REQUIRE(refusal);
    CHECK(refusal->find(spoiling.complaint) != std::string::npos);
  }
}
