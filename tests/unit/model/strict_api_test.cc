// One body per rule that the strict API must refuse, and good ones that it must not.
#include "support/strict_api.h"

#include <doctest/doctest.h>

using namespace agentd;
using agentd::test::StrictApi;

namespace {

// A small good request: one call, answered; then the user goes on.
Json good() {
  return Json::parse(R"({
    "model": "m",
    "system": [{"type": "text", "text": "be good", "cache_control": {"type": "ephemeral"}}],
    "tools": [{"name": "Read", "description": "reads", "input_schema": {"type": "object"}}],
    "messages": [
      {"role": "user", "content": [{"type": "text", "text": "hi"}]},
      {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "SIG"},
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}},
        {"type": "tool_use", "id": "t2", "name": "Read", "input": {}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t2", "is_error": true,
         "content": [{"type": "text", "text": "no"}]},
        {"type": "tool_result", "tool_use_id": "t1"},
        {"type": "text", "text": "go on"}]}],
    "max_tokens": 100,
    "stream": true
  })");
}

std::string refusal_of(const std::string& body) {
  return StrictApi().refusal(body).value_or("");
}

struct Rule {
  const char* name;
  void (*break_it)(Json&);
  const char* says;
};

Json& assistant(Json& body) {
  return body["messages"][1]["content"];
}
Json& results(Json& body) {
  return body["messages"][2]["content"];
}

const Rule kRules[] = {
    {"max_tokens missing", [](Json& b) { b.erase("max_tokens"); }, "max_tokens: Field required"},
    {"max_tokens zero", [](Json& b) { b["max_tokens"] = 0; }, "max_tokens: Input should be"},
    {"model missing", [](Json& b) { b.erase("model"); }, "model: Field required"},
    {"unknown top-level field", [](Json& b) { b["maxTokens"] = 1; }, "Extra inputs"},
    {"unknown field in a block", [](Json& b) { assistant(b)[1]["id"] = "x"; }, "Extra inputs"},
    {"no messages", [](Json& b) { b["messages"] = Json::array(); }, "at least one message"},
    {"first message not the user's", [](Json& b) { b["messages"].erase(0); },
     "first message must use"},
    {"two user messages in a row",
     [](Json& b) { b["messages"].push_back({{"role", "user"}, {"content", "again"}}); },
     "roles must alternate"},
    {"a role of its own", [](Json& b) { b["messages"][0]["role"] = "system"; }, "role: Input"},
    {"ends with the assistant",
     [](Json& b) { b["messages"].push_back({{"role", "assistant"}, {"content", "so"}}); },
     "prefill"},
    {"empty content", [](Json& b) { b["messages"][0]["content"] = Json::array(); }, "non-empty"},
    {"empty text", [](Json& b) { b["messages"][0]["content"][0]["text"] = ""; },
     "must be non-empty"},
    {"blank text", [](Json& b) { b["messages"][0]["content"][0]["text"] = " \n"; },
     "non-whitespace"},
    {"blank text in a result", [](Json& b) { results(b)[0]["content"][0]["text"] = "\n"; },
     "non-whitespace"},
    {"mark on empty text",
     [](Json& b) {
       b["messages"][0]["content"][0] =
           Json::parse(R"({"type":"text","text":"","cache_control":{"type":"ephemeral"}})");
     },
     "cannot be set for empty text"},
    {"five marks",
     [](Json& b) {
       const Json mark = {{"type", "ephemeral"}};
       b["tools"][0]["cache_control"] = mark;
       b["messages"][0]["content"][0]["cache_control"] = mark;
       assistant(b)[1]["cache_control"] = mark;
       results(b)[0]["cache_control"] = mark;
     },
     "maximum of 4 blocks"},
    {"mark on thinking",
     [](Json& b) { assistant(b)[0]["cache_control"] = {{"type", "ephemeral"}}; },
     "cache_control: Extra inputs"},
    {"mark of an unknown type",
     [](Json& b) { assistant(b)[1]["cache_control"] = {{"type", "forever"}}; }, "'ephemeral'"},
    {"a call without its result", [](Json& b) { results(b).erase(1); },
     "`tool_use` ids were found without `tool_result` blocks immediately after: t1"},
    {"calls in the last message", [](Json& b) { b["messages"].erase(2); },
     "without `tool_result` blocks"},
    {"a string where results are due", [](Json& b) { b["messages"][2]["content"] = "go on"; },
     "without `tool_result` blocks"},
    {"a result without its call", [](Json& b) { assistant(b).erase(3); },
     "unexpected `tool_use_id`"},
    {"two results of one call", [](Json& b) { results(b)[1]["tool_use_id"] = "t2"; },
     "single result"},
    {"text before the results", [](Json& b) { std::swap(results(b)[0], results(b)[2]); },
     "before all other content"},
    {"an id twice", [](Json& b) { assistant(b)[3]["id"] = "t1"; }, "ids must be unique"},
    {"an id used in an earlier turn",
     [](Json& b) {
       Json again = b["messages"][1];
       again["content"].erase(3);
       b["messages"].push_back(again);
       b["messages"].push_back(
           Json::parse(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]})"));
     },
     "ids must be unique"},
    {"an id with a colon", [](Json& b) { assistant(b)[2]["id"] = "Read:0"; },
     "should match pattern"},
    {"an empty id", [](Json& b) { assistant(b)[2]["id"] = ""; }, "should match pattern"},
    {"a result's id with a dot", [](Json& b) { results(b)[0]["tool_use_id"] = "a.b"; },
     "should match pattern"},
    {"a call's name with a space", [](Json& b) { assistant(b)[2]["name"] = "Read it"; },
     "should match pattern"},
    {"an input that is no object", [](Json& b) { assistant(b)[2]["input"] = "{}"; }, "dictionary"},
    {"a call by the user",
     [](Json& b) {
       b["messages"][0]["content"].push_back(
           Json::parse(R"({"type":"tool_use","id":"u","name":"Read","input":{}})"));
     },
     "only be in assistant"},
    {"thinking without a signature", [](Json& b) { assistant(b)[0].erase("signature"); },
     "signature: Field required"},
    {"an unknown kind of block", [](Json& b) { assistant(b)[1]["type"] = "riddle"; },
     "does not match any"},
    {"a tool's name with a space", [](Json& b) { b["tools"][0]["name"] = "my tool"; },
     "should match pattern"},
    {"a tool twice", [](Json& b) { b["tools"].push_back(b["tools"][0]); }, "must be unique"},
    {"a tool's schema that is no object",
     [](Json& b) { b["tools"][0]["input_schema"] = {{"type", "array"}}; }, "should be 'object'"},
    {"a tool's schema with anyOf",
     [](Json& b) { b["tools"][0]["input_schema"]["anyOf"] = Json::array(); }, "top level"},
    {"an image of another type",
     [](Json& b) {
       b["messages"][0]["content"].push_back(Json::parse(
           R"({"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"AA"}})"));
     },
     "media_type"},
    {"blank system text", [](Json& b) { b["system"][0]["text"] = " "; }, "non-whitespace"},
};

}  // namespace

TEST_CASE("a good request is taken") {
  CHECK(refusal_of(good().dump()) == "");
  Json plain = good();
  plain["system"] = "be good";
  plain["messages"][0]["content"] = "hi";
  CHECK(refusal_of(plain.dump()) == "");
}

TEST_CASE("each rule is held") {
  for (const Rule& rule : kRules) {
    CAPTURE(rule.name);
    Json body = good();
    rule.break_it(body);
    const std::string refusal = refusal_of(body.dump());
    CAPTURE(refusal);
    CHECK(refusal.find(rule.says) != std::string::npos);
  }
}

TEST_CASE("bytes that are no JSON text are refused") {
  const std::string body = good().dump();
  const auto with = [&](const std::string& text) {
    std::string changed = body;
    changed.replace(changed.find("go on"), 5, text);
    return refusal_of(changed);
  };
  CHECK(with("fine") == "");
  CHECK(with("\xFF").find("not valid JSON") != std::string::npos);
  CHECK(with("\xED\xA0\xBD").find("not valid JSON") != std::string::npos);
  CHECK(with("\\ud83d").find("not valid JSON") != std::string::npos);
  CHECK(refusal_of(body.substr(1)).find("not valid JSON") != std::string::npos);
}

TEST_CASE("thinking goes back as it was issued") {
  StrictApi api;
  api.issued_thinking("hm", "SIG");
  api.issued_thinking("more", "SIG2");
  Json body = good();
  CHECK_FALSE(api.refusal(body.dump()));
  assistant(body)[0]["thinking"] = "hm.";
  CHECK(api.refusal(body.dump()).value_or("").find("cannot be modified") != std::string::npos);
  body = good();
  assistant(body)[0]["signature"] = "other";
  CHECK(api.refusal(body.dump()).value_or("").find("Invalid `signature`") != std::string::npos);
  body = good();
  assistant(body).insert(
      assistant(body).begin(),
      Json::parse(R"({"type":"thinking","thinking":"more","signature":"SIG2"})"));
  CHECK(api.refusal(body.dump()).value_or("").find("cannot be modified") != std::string::npos);
}

TEST_CASE("a request needs its headers and its path") {
  test::SeenRequest request;
  request.method = "POST";
  request.path = "/v1/messages";
  request.headers = {{"x-api-key", "k"}, {"anthropic-version", "2023-06-01"}};
  request.body = good().dump();
  const StrictApi api;
  CHECK_FALSE(api.refuse(request));
  test::SeenRequest no_key = request;
  no_key.headers.erase(no_key.headers.begin());
  CHECK(api.refuse(no_key)->status == 401);
  test::SeenRequest no_version = request;
  no_version.headers.pop_back();
  CHECK(api.refuse(no_version)->status == 400);
  test::SeenRequest elsewhere = request;
  elsewhere.path = "/v1/complete";
  CHECK(api.refuse(elsewhere)->status == 404);
}
