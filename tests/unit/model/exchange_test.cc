// One exchange, its callbacks called by hand: the stall clocks and who comes first.
#include "model/exchange.h"

#include <doctest/doctest.h>

#include "model/anthropic_decoder.h"
#include "support/anthropic_replies.h"
#include "support/assembled_reply.h"
#include "support/fake_clock.h"

using namespace agentd;
using namespace agentd::model;
using agentd::test::AnthropicReply;
using agentd::test::AssembledReply;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

const std::string kPing = "event: ping\ndata: {\"type\":\"ping\"}\n\n";
const std::string kDelta =
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"x\"}}\n\n";

struct Rig {
  test::FakeClock clock;
  AssembledReply reply;
  std::shared_ptr<Exchange> exchange = Exchange::start(
      clock, StallClocks{}, std::make_unique<AnthropicDecoder>(),
      [this](const ModelEvents& events) { reply.take(events); }, "example.test:1");

  void head(int status = 200) {
    platform::HttpHead head;
    head.status = status;
    exchange->head(std::move(head));
  }
  void begin() {
    head();
    exchange->data(AnthropicReply().text("a").cut().str());
  }
  bool timed_out() const {
    return reply.failure && reply.failure->failure_class == FailureClass::timeout_idle;
  }
};

}  // namespace

TEST_CASE("the first byte") {
  Rig rig;
  rig.clock.advance(seconds(299));
  CHECK_FALSE(rig.reply.ended);
  SUBCASE("does not come") {
    rig.clock.advance(seconds(1));
    CHECK(rig.timed_out());
    CHECK(rig.reply.failure->message.find("300 s") != std::string::npos);
    rig.exchange->data(kDelta);
    rig.exchange->end(nullptr);
    CHECK(rig.reply.broken.empty());
  }
  SUBCASE("comes: from then on it is bytes that count") {
    rig.head();
    rig.clock.advance(seconds(119));
    CHECK_FALSE(rig.reply.ended);
    rig.clock.advance(seconds(1));
    CHECK(rig.timed_out());
  }
}

TEST_CASE("a clock below a second is told in milliseconds") {
  test::FakeClock clock;
  AssembledReply reply;
  const auto exchange = Exchange::start(
      clock, StallClocks{.first_byte = milliseconds(800)}, std::make_unique<AnthropicDecoder>(),
      [&](const ModelEvents& events) { reply.take(events); }, "");
  clock.advance(milliseconds(800));
  REQUIRE(reply.failure);
  CHECK(reply.failure->message == "The model did not answer within 800 ms.");
}

TEST_CASE("silence in the middle: every byte counts anew") {
  Rig rig;
  rig.begin();
  for (int i = 0; i < 10; ++i) {
    rig.clock.advance(seconds(119));
    CHECK_FALSE(rig.reply.ended);
    rig.exchange->data(kDelta);
  }
  rig.clock.advance(seconds(119));
  CHECK_FALSE(rig.reply.ended);
  rig.clock.advance(seconds(1));
  CHECK(rig.timed_out());
  CHECK(rig.reply.failure->message.find("120 s") != std::string::npos);
  CHECK(rig.clock.pending() == 0);
}

TEST_CASE("pings are bytes, but no progress") {
  Rig rig;
  rig.begin();
  rig.clock.advance(seconds(100));
  rig.exchange->data(kPing);
  rig.clock.advance(seconds(100));
  rig.exchange->data(": comment\n\n" + kPing);
  rig.clock.advance(seconds(99));
  CHECK_FALSE(rig.reply.ended);
  rig.clock.advance(seconds(1));
  CHECK(rig.timed_out());
  CHECK(rig.reply.failure->message.find("pings") != std::string::npos);
}

TEST_CASE("a stream of many chunks sets a handful of timers, one at a time") {
  Rig rig;
  rig.begin();
  for (int i = 0; i < 1000; ++i) {
    rig.exchange->data(kDelta);
    CHECK(rig.clock.pending() == 1);
    rig.clock.advance(milliseconds(10));
  }
  CHECK_FALSE(rig.reply.ended);
}

TEST_CASE("a whole reply that is neither closed nor ended is whole") {
  Rig rig;
  rig.begin();
  rig.exchange->data(
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n");
  CHECK_FALSE(rig.reply.ended);
  rig.clock.advance(seconds(2));
  CHECK(rig.reply.ended);
  CHECK_FALSE(rig.reply.failure);
  CHECK(rig.exchange->abandon() == Exchange::Left::whole);
}

TEST_CASE("pings do not keep a whole reply from its end") {
  Rig rig;
  rig.begin();
  rig.exchange->data(
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n");
  rig.clock.advance(milliseconds(1'500));
  rig.exchange->data(kPing + ": comment\n\n");
  CHECK_FALSE(rig.reply.ended);
  rig.clock.advance(milliseconds(500));
  CHECK(rig.reply.ended);
  CHECK_FALSE(rig.reply.failure);
}

TEST_CASE("while it is paused, silence is our own doing") {
  Rig rig;
  rig.begin();
  rig.exchange->pause();
  rig.clock.advance(seconds(10'000));
  CHECK_FALSE(rig.reply.ended);
  rig.exchange->resume();
  rig.clock.advance(seconds(119));
  CHECK_FALSE(rig.reply.ended);
  rig.clock.advance(seconds(1));
  CHECK(rig.timed_out());
}

TEST_CASE("nothing comes after it was abandoned") {
  Rig rig;
  rig.begin();
  const std::string before = rig.reply.summary();
  CHECK(rig.exchange->abandon() == Exchange::Left::unfinished);
  CHECK(rig.clock.pending() == 0);
  rig.exchange->data(kDelta);
  rig.exchange->end(nullptr);
  rig.clock.advance(seconds(10'000));
  CHECK(rig.reply.summary() == before);
}

TEST_CASE("how it ends on the wire decides only where the reply does not") {
  const platform::HttpFault reset{platform::HttpFault::Kind::reset, "reset"};
  SUBCASE("before anything") {
    Rig rig;
    rig.exchange->end(&reset);
    CHECK(rig.reply.failure->failure_class == FailureClass::network);
  }
  SUBCASE("TLS") {
    Rig rig;
    const platform::HttpFault tls{platform::HttpFault::Kind::tls, "certificate"};
    rig.exchange->end(&tls);
    CHECK(rig.reply.failure->failure_class == FailureClass::tls);
  }
  SUBCASE("no address: not tried again") {
    Rig rig;
    const platform::HttpFault none{platform::HttpFault::Kind::address, "ftp is not supported"};
    rig.exchange->end(&none);
    CHECK(rig.reply.failure->should_retry == false);
    CHECK(rig.reply.failure->message.find("ftp is not supported") != std::string::npos);
  }
  SUBCASE("a page: its host is named") {
    Rig rig;
    rig.head();
    rig.exchange->data("<html>");
    rig.exchange->end(nullptr);
    CHECK(rig.reply.failure->failure_class == FailureClass::not_sse);
    CHECK(rig.reply.failure->message ==
          "From example.test:1: The endpoint answered with a page: <html>");
  }
  SUBCASE("in the middle of a reply") {
    Rig rig;
    rig.begin();
    rig.exchange->end(&reset);
    CHECK(rig.reply.failure->failure_class == FailureClass::stream_truncated);
    CHECK(rig.reply.failure->message.find("reset") != std::string::npos);
  }
  SUBCASE("in the middle of a refusal: the status says enough") {
    Rig rig;
    rig.head(529);
    rig.exchange->data("{\"type\":\"er");
    rig.exchange->end(&reset);
    CHECK(rig.reply.failure->failure_class == FailureClass::overloaded);
  }
  SUBCASE("a refusal whose body never comes") {
    Rig rig;
    rig.head(401);
    rig.clock.advance(seconds(120));
    CHECK(rig.reply.failure->failure_class == FailureClass::auth);
  }
  SUBCASE("after the whole reply") {
    Rig rig;
    rig.head();
    rig.exchange->data(AnthropicReply().text("a").str());
    CHECK_FALSE(rig.exchange->closed());
    rig.exchange->end(&reset);
    CHECK(rig.exchange->closed());
    CHECK_FALSE(rig.reply.failure);
    CHECK(rig.reply.broken.empty());
  }
}
