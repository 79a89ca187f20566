// The provider over real HTTP on the loopback: headers, failures, the stall clocks, cancelling,
// connections. Streams in every cut: tests/streams.
#include "model/anthropic.h"

#include <doctest/doctest.h>

#include "support/anthropic_replies.h"
#include "support/assembled_reply.h"
#include "support/fake_clock.h"
#include "support/model_server.h"
#include "support/model_talk.h"
#include "support/strict_api.h"

using namespace agentd;
using namespace agentd::model;
using namespace agentd::test;
using std::chrono::milliseconds;

namespace {

struct Rig {
  FakeClock clock;
  ModelServer server;
  std::unique_ptr<platform::Http> http = platform::make_curl_http();
  std::shared_ptr<Provider> provider = make_anthropic({"KEY", server.url(), {}}, clock, *http);
  std::unique_ptr<EncoderCache> cache = provider->make_cache();

  AssembledReply ask() {
    ModelTalk talk(*provider, *cache, simple_request("hi"));
    return talk.wait_end();
  }
};

}  // namespace

TEST_CASE("a request as the strict API wants it, and its reply") {
  Rig rig;
  rig.server.add(ServerReply::stream(AnthropicReply().text("Hello there").usage(7, 3).str()));
  const AssembledReply reply = rig.ask();
  CHECK(reply.broken.empty());
  CHECK_FALSE(reply.failure);
  REQUIRE(reply.blocks.size() == 1);
  CHECK(reply.blocks[0].text == "Hello there");
  CHECK(reply.usage.input_tokens == 7);

  const auto requests = rig.server.requests();
  REQUIRE(requests.size() == 1);
  CHECK_FALSE(StrictApi().refuse(requests[0]));
  CHECK(*requests[0].header("x-api-key") == "KEY");
  CHECK(*requests[0].header("anthropic-version") == "2023-06-01");
  CHECK(*requests[0].header("content-type") == "application/json");
  CHECK(requests[0].path == "/v1/messages");
}

TEST_CASE("the URL from the base") {
  CHECK(messages_url("https://api.anthropic.com") == "https://api.anthropic.com/v1/messages");
  CHECK(messages_url("http://gate/") == "http://gate/v1/messages");
  CHECK(messages_url("http://gate/v1/") == "http://gate/v1/messages");
}

TEST_CASE("a key that the endpoint echoes is not passed on, nor the most of it") {
  Rig rig;
  const std::string key = "sk-ant-api03-0123456789abcdef";
  auto provider = make_anthropic({key, rig.server.url(), {}}, rig.clock, *rig.http);
  const auto told = [&](const std::string& message) {
    rig.server.add(ServerReply::json(
        401, R"({"type":"error","error":{"type":"authentication_error","message":")" + message +
                 "\"}}"));
    ModelTalk talk(*provider, *rig.cache, simple_request("hi"));
    return talk.wait_end().failure->message;
  };
  const std::string twice = told("bad key " + key + ", that is: " + key);
  CHECK(twice.find("bad key [key], that is: [key]") != std::string::npos);
  CHECK(told("bad " + key.substr(0, 24)).find("0123") == std::string::npos);
  CHECK(told("not like sk-ant-api03-x").find("sk-ant-api03-x") != std::string::npos);
}

TEST_CASE("one connection serves turn after turn") {
  Rig rig;
  for (int i = 0; i < 5; ++i) {
    rig.server.add(ServerReply::stream(AnthropicReply().text("x").str()));
    CHECK_FALSE(rig.ask().failure);
  }
  CHECK(rig.server.connections() == 1);
}

TEST_CASE("failures come up as one Failed, told with the request id") {
  Rig rig;
  SUBCASE("a refusal") {
    ServerReply reply = ServerReply::json(
        429, R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"}})");
    reply.headers.emplace_back("request-id", "req_9");
    reply.headers.emplace_back("retry-after", "3");
    rig.server.add(reply);
    const AssembledReply got = rig.ask();
    REQUIRE(got.failure);
    CHECK(got.failure->failure_class == FailureClass::rate_limit);
    CHECK(got.failure->http_status == 429);
    CHECK(got.failure->retry_after == milliseconds(3'000));
    CHECK(got.failure->message.find("req_9") != std::string::npos);
  }
  SUBCASE("an error inside the stream") {
    ServerReply reply =
        ServerReply::stream(AnthropicReply().text("a").error("overloaded_error", "busy").str());
    reply.headers.emplace_back("request-id", "req_10");
    rig.server.add(reply);
    const AssembledReply got = rig.ask();
    REQUIRE(got.failure);
    CHECK(got.failure->failure_class == FailureClass::overloaded);
    CHECK(got.failure->message.find("req_10") != std::string::npos);
  }
  SUBCASE("a reset before the answer, one in the middle, one after the stop reason") {
    rig.server.add(ServerReply::broken());
    CHECK(rig.ask().failure->failure_class == FailureClass::network);
    ServerReply middle = ServerReply::stream(AnthropicReply().text("a b").cut().str());
    middle.end = ServerReply::End::reset;
    // The reset may overtake the text, so that nothing of the reply was seen.
    rig.server.add(middle);
    const FailureClass failed = rig.ask().failure->failure_class;
    CHECK((failed == FailureClass::stream_truncated || failed == FailureClass::network));
  }
  SUBCASE("nobody there") {
    auto nobody = make_anthropic({"KEY", "http://127.0.0.1:1", {}}, rig.clock, *rig.http);
    ModelTalk talk(*nobody, *rig.cache, simple_request("hi"));
    CHECK(talk.wait_end().failure->failure_class == FailureClass::network);
  }
}

TEST_CASE("no answer within the first byte's time") {
  Rig rig;
  ServerReply reply = ServerReply::stream(AnthropicReply().text("late").str());
  reply.hold = std::make_shared<Gate>();
  rig.server.add(reply);
  ModelTalk talk(*rig.provider, *rig.cache, simple_request("hi"));
  REQUIRE(reply.hold->wait_reached());
  rig.clock.advance(milliseconds(299'000));
  CHECK_FALSE(talk.ended());
  rig.clock.advance(milliseconds(2'000));
  CHECK(talk.wait_end().failure->failure_class == FailureClass::timeout_idle);
}

TEST_CASE("a reply that ended does not wait for its connection to close") {
  Rig rig;
  ServerReply reply = ServerReply::stream(AnthropicReply().text("done").str());
  reply.end = ServerReply::End::stall;
  rig.server.add(reply);
  CHECK_FALSE(rig.ask().failure);
  // The next turn goes out on another connection; the silent one is given up in time.
  rig.server.add(ServerReply::stream(AnthropicReply().text("more").str()));
  CHECK_FALSE(rig.ask().failure);
  CHECK(rig.server.connections() == 2);
  rig.provider.reset();
  rig.http.reset();
  CHECK(rig.server.wait_no_connection());
}

TEST_CASE("cancelling ends the request at once, and nothing comes after") {
  Rig rig;
  ServerReply reply = ServerReply::stream(AnthropicReply().text("a").cut().str());
  reply.end = ServerReply::End::stall;
  rig.server.add(reply);
  auto talk = std::make_unique<ModelTalk>(*rig.provider, *rig.cache, simple_request("hi"));
  REQUIRE(talk->wait_for([](const AssembledReply& seen) { return !seen.blocks.empty(); }));
  talk->cancel();
  CHECK(rig.server.wait_no_connection());
  rig.clock.advance(milliseconds(1'000'000));
  CHECK_FALSE(talk->ended());
}
