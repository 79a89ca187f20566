// The provider over real HTTP on the loopback: headers, failures, the end of a reply, and what it
// learns from its endpoint. Streams in every cut: tests/streams; clocks: exchange_test.
#include "model/openai_chat.h"

#include <doctest/doctest.h>

#include "support/assembled_reply.h"
#include "support/chat_replies.h"
#include "support/fake_clock.h"
#include "support/model_server.h"
#include "support/model_talk.h"
#include "support/strict_chat_api.h"

using namespace agentd;
using namespace agentd::model;
using namespace agentd::test;
using std::chrono::milliseconds;

namespace {

struct Rig {
  FakeClock clock;
  ModelServer server;
  std::unique_ptr<platform::Http> http = platform::make_curl_http();
  std::shared_ptr<Provider> provider = make("KEY");
  std::unique_ptr<EncoderCache> cache = provider->make_cache();

  std::shared_ptr<Provider> make(const std::string& key) {
    OpenAiChatOptions options;
    options.key = key;
    options.base_url = server.url() + "/v1/";
    options.settings = {"A_KEY", "A_BASE_URL"};
    return make_openai_chat(std::move(options), clock, *http);
  }
  AssembledReply ask(const ModelRequest& request = simple_request("hi")) {
    ModelTalk talk(*provider, *cache, request);
    return talk.wait_end();
  }
  Json last_request() const { return Json::parse(server.requests().back().body); }
};

MessagePtr message(Role role, std::vector<Block> blocks) {
  return std::make_shared<const Message>(Message{role, std::move(blocks)});
}

// The second request of a loop whose first reply thought before it called.
ModelRequest second_request() {
  ModelRequest request = simple_request("hi");
  request.messages.push_back(message(
      Role::assistant, {ThinkingBlock{"hm", {}}, ToolUseBlock{"a", "Read", Json::object()}}));
  request.messages.push_back(message(Role::user, {ToolResultBlock{"a", {TextBlock{"x"}}, false}}));
  return request;
}

ServerReply refusal(const std::string& text) {
  return ServerReply::json(400, Json{{"error",
                                      {{"message", text},
                                       {"type", "invalid_request_error"},
                                       {"code", "unsupported_parameter"}}}}
                                    .dump());
}

}  // namespace

TEST_CASE("a request as the strict API wants it, and its reply") {
  Rig rig;
  rig.server.add(ServerReply::stream(ChatReply().text("Hello there").usage(7, 3).str()));
  const AssembledReply reply = rig.ask();
  CHECK(reply.broken.empty());
  CHECK_FALSE(reply.failure);
  REQUIRE(reply.blocks.size() == 1);
  CHECK(reply.blocks[0].text == "Hello there");
  CHECK(reply.usage.input_tokens == 7);
  CHECK(reply.model == "model-1");

  const auto requests = rig.server.requests();
  REQUIRE(requests.size() == 1);
  CHECK_FALSE(StrictChatApi().refuse(requests[0]));
  CHECK(*requests[0].header("authorization") == "Bearer KEY");
  CHECK(*requests[0].header("content-type") == "application/json");
  CHECK(requests[0].path == "/v1/chat/completions");
}

TEST_CASE("without a key none is sent") {
  Rig rig;
  rig.provider = rig.make("");
  rig.server.add(ServerReply::stream(ChatReply().text("x").str()));
  CHECK_FALSE(rig.ask().failure);
  CHECK(rig.server.requests()[0].header("authorization") == nullptr);
}

TEST_CASE("the URL from the base") {
  CHECK(chat_completions_url("https://a/v1") == "https://a/v1/chat/completions");
  CHECK(chat_completions_url("https://a/v1/") == "https://a/v1/chat/completions");
  CHECK(chat_completions_url("https://a/v1/chat/completions") == "https://a/v1/chat/completions");
  for (const char* base : {"https://a/v1", "https://a/v1/", "https://a/v1/chat/completions/"}) {
    CHECK(chat_models_url(base) == "https://a/v1/models");
  }
}

TEST_CASE("failures come up as one Failed, with where the key is set, and never the key") {
  Rig rig;
  rig.provider = rig.make("sk-proj-0123456789abcdefghij");
  ServerReply reply = ServerReply::json(
      401,
      R"({"error":{"message":"Incorrect API key provided: sk-proj-0123456789abcdefghij","type":"invalid_request_error","code":"invalid_api_key"}})");
  reply.headers.emplace_back("x-request-id", "req_9");
  rig.server.add(reply);
  const AssembledReply got = rig.ask();
  REQUIRE(got.failure);
  CHECK(got.failure->failure_class == FailureClass::auth);
  CHECK(got.failure->message.find("req_9") != std::string::npos);
  CHECK(got.failure->message.find("0123456789") == std::string::npos);
  CHECK(got.failure->settings.key == "A_KEY");
}

TEST_CASE("a limit of requests is retried when the server says") {
  Rig rig;
  ServerReply reply = ServerReply::json(
      429, R"({"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}})");
  reply.headers.emplace_back("retry-after-ms", "1500");
  rig.server.add(reply);
  const AssembledReply got = rig.ask();
  REQUIRE(got.failure);
  CHECK(got.failure->failure_class == FailureClass::rate_limit);
  CHECK(got.failure->retry_after == milliseconds(1'500));
}

TEST_CASE("after a finish reason the endpoint has 2 s for its usage") {
  Rig rig;
  std::string body = ChatReply().text("done").usage(9, 2).str();
  body.resize(body.find("data: [DONE]"));
  ServerReply reply = ServerReply::stream(body);
  reply.end = ServerReply::End::stall;
  rig.server.add(reply);
  ModelTalk talk(*rig.provider, *rig.cache, simple_request("hi"));
  REQUIRE(talk.wait_for([](const AssembledReply& seen) { return seen.usage.output_tokens == 2; }));
  rig.clock.advance(milliseconds(1'900));
  CHECK_FALSE(talk.ended());
  rig.clock.advance(milliseconds(200));
  const AssembledReply got = talk.wait_end();
  CHECK_FALSE(got.failure);
  CHECK(got.stop->wire == "stop");
}

TEST_CASE("reasoning goes back to the endpoint that sent some, under its own name") {
  Rig rig;
  rig.server.add(ServerReply::stream(ChatReply().text("x").str()));
  (void)rig.ask(second_request());
  CHECK_FALSE(rig.last_request()["messages"][1].contains("reasoning"));
  rig.server.add(ServerReply::stream(ChatReply().reasoning("hm", "reasoning").text("x").str()));
  (void)rig.ask();
  rig.server.add(ServerReply::stream(ChatReply().text("x").str()));
  (void)rig.ask(second_request());
  CHECK(rig.last_request()["messages"][1]["reasoning"] == "hm");
  // It does not want it: the request is made again without, and so is every other.
  rig.server.add(refusal("messages.1: property 'reasoning' is unsupported"));
  const AssembledReply refused = rig.ask(second_request());
  REQUIRE(refused.failure);
  CHECK(refused.failure->should_retry == true);
  rig.server.add(ServerReply::stream(ChatReply().reasoning("hm", "reasoning").text("x").str()));
  (void)rig.ask(second_request());
  CHECK_FALSE(rig.last_request()["messages"][1].contains("reasoning"));
  rig.server.add(ServerReply::stream(ChatReply().text("x").str()));
  (void)rig.ask(second_request());
  CHECK_FALSE(rig.last_request()["messages"][1].contains("reasoning"));
}

TEST_CASE("a refusal of the limit's name: the request is made again with the other") {
  Rig rig;
  rig.server.add(refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."));
  const AssembledReply refused = rig.ask();
  REQUIRE(refused.failure);
  CHECK(refused.failure->should_retry == true);
  CHECK(rig.last_request().contains("max_tokens"));
  rig.server.add(ServerReply::stream(ChatReply().text("x").str()));
  CHECK_FALSE(rig.ask().failure);
  CHECK(rig.last_request()["max_completion_tokens"] == 1000);
  CHECK_FALSE(rig.last_request().contains("max_tokens"));
}
