// A model server at its worst: it stalls, resets, answers 429, 500, 529, 413 and pages of HTML, one
// after the other in every order. The loop over real HTTP with the clock under the test's hand: it
// waits as long as it was told, asks again, and the run ends well with one reply in its history.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

#include "platform/http.h"
#include "support/agent_rig.h"
#include "support/anthropic_replies.h"
#include "support/chat_replies.h"
#include "support/model_server.h"
#include "support/stream_rig.h"
#include "support/strict_api.h"
#include "support/strict_chat_api.h"

using namespace agentd;
using namespace agentd::test;
using namespace std::chrono_literals;

namespace {

// Ordered, for std::next_permutation.
enum class Fault { stall, reset, limited, failed, overloaded, page, gateway_page, too_large };

std::string part_of_a_reply(StreamApi api) {
  return api == StreamApi::messages ? AnthropicReply().text("half a word").cut().str()
                                    : ChatReply().text("half a word").cut().str();
}

ServerReply good_reply(StreamApi api) {
  return ServerReply::stream(api == StreamApi::messages ? AnthropicReply().text("well").str()
                                                        : ChatReply().text("well").str());
}

ServerReply html(int status) {
  ServerReply reply;
  reply.status = status;
  reply.headers = {{"content-type", "text/html"}};
  reply.body = "<!doctype html><html><body><h1>Something went wrong</h1></body></html>";
  return reply;
}

// Both APIs have an object with a type and a message in it.
ServerReply error(int status, const std::string& type, const std::string& message) {
  const Json body = {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
  return ServerReply::json(status, body.dump());
}

ServerReply reply_for(Fault fault, StreamApi api) {
  ServerReply reply = ServerReply::stream(part_of_a_reply(api));
  switch (fault) {
    case Fault::stall:
      reply.end = ServerReply::End::stall;
      return reply;
    case Fault::reset:
      reply.end = ServerReply::End::reset;
      return reply;
    case Fault::limited:
      reply = error(429, "rate_limit_error", "slower");
      reply.headers.emplace_back("retry-after", "7");
      return reply;
    case Fault::failed:
      return error(500, "api_error", "a bug of theirs");
    case Fault::overloaded:
      return error(529, "overloaded_error", "busy");
    case Fault::page:
      return html(200);
    case Fault::gateway_page:
      return html(502);
    case Fault::too_large:
      return error(413, "request_too_large", "too many bytes");
  }
  return reply;
}

// One run against a server that has these faults, then answers.
class Ordeal {
 public:
  Ordeal(StreamApi api, std::vector<Fault> faults) : api_(api), faults_(std::move(faults)) {
    rig_.options.model.provider = provider_for(api, server_.url(), false, rig_.clock, *http_);
    for (const Fault fault : faults_) server_.add(reply_for(fault, api));
    server_.set_handler([api](const SeenRequest&) { return good_reply(api); });
  }

  AgentRig& rig() { return rig_; }
  ModelServer& server() { return server_; }

  agent::RunEnded go() {
    rig_.start();
    let_time_pass();
    const auto end = rig_.wait_end();
    for (const auto& request : server_.requests()) {
      const auto refusal = api_ == StreamApi::messages ? StrictApi().refusal(request.body)
                                                       : StrictChatApi().refusal(request.body);
      CHECK_MESSAGE(!refusal, refusal.value_or(""));
    }
    return end;
  }

 private:
  template <class Event>
  std::size_t seen() {
    return rig_.sink().all<Event>().size();
  }

  // A wait before a retry is over as soon as it begins, and a silent stream runs out of its time;
  // an answer that is on its way does not.
  void let_time_pass() {
    std::size_t waits_over = 0;
    while (seen<agent::RunEnded>() == 0) {
      const std::size_t asked = server_.requests().size();
      if (seen<agent::Retrying>() > waits_over && rig_.clock.wait_pending(1)) {
        ++waits_over;
        rig_.clock.advance(60s);
      } else if (asked == seen<agent::Retrying>() + 1 && asked <= faults_.size() &&
                 faults_[asked - 1] == Fault::stall) {
        rig_.clock.advance(10s);
      }
      std::this_thread::yield();
    }
  }

  StreamApi api_;
  std::vector<Fault> faults_;
  std::unique_ptr<platform::Http> http_ = platform::make_curl_http();
  ModelServer server_;
  AgentRig rig_;
};

std::string names(const std::vector<Fault>& faults) {
  static constexpr std::array kNames = {"stall", "reset", "429", "500",
                                        "529",   "page",  "502", "413"};
  std::string text;
  for (const Fault fault : faults)
    text += std::string(kNames[static_cast<std::size_t>(fault)]) + " ";
  return text;
}

std::size_t text_messages(const context::History& history) {
  std::size_t count = 0;
  for (const auto& message : history.view()) {
    count += std::holds_alternative<TextBlock>(message->blocks.front()) ? 1 : 0;
  }
  return count;
}

void check_in_every_order(StreamApi api, std::vector<Fault> faults) {
  std::sort(faults.begin(), faults.end());
  int orders = 0;
  do {
    CAPTURE(names(faults));
    ++orders;
    Ordeal ordeal(api, faults);
    const auto end = ordeal.go();
    CHECK(end.ending == agent::Ending::completed);
    CHECK(end.turns == 1);
    CHECK(ordeal.server().requests().size() == faults.size() + 1);
    const auto retries = ordeal.rig().sink().all<agent::Retrying>();
    REQUIRE(retries.size() == faults.size());
    for (std::size_t i = 0; i < faults.size(); ++i) {
      CHECK(retries[i].attempt == static_cast<int>(i) + 2);
      if (faults[i] == Fault::limited) CHECK(retries[i].delay >= 7s);
    }
    // Nothing of the broken replies is left.
    const auto& view = ordeal.rig().conversation.history.view();
    REQUIRE(view.size() == 2);
    CHECK(text_messages(ordeal.rig().conversation.history) == 2);
    CHECK(std::get<TextBlock>(view[1]->blocks.front()).text == "well");
  } while (std::next_permutation(faults.begin(), faults.end()));
  MESSAGE(orders << " orders");
}

// A conversation that can be summed up.
void give_past(AgentRig& rig) {
  for (const char* text : {"one", "two", "three"}) {
    rig.conversation.history.append({Role::user, {TextBlock{text}}});
    rig.conversation.history.append({Role::assistant, {TextBlock{std::string("about ") + text}}});
  }
}

// A 413 is answered with a compaction, whose own request meets the rest of the faults.
void check_too_large_in_every_order(StreamApi api) {
  std::vector<Fault> faults = {Fault::reset, Fault::limited, Fault::gateway_page, Fault::too_large};
  std::sort(faults.begin(), faults.end());
  do {
    CAPTURE(names(faults));
    Ordeal ordeal(api, faults);
    give_past(ordeal.rig());
    const auto end = ordeal.go();
    CHECK(end.ending == agent::Ending::completed);
    CHECK(ordeal.server().requests().size() == faults.size() + 2);
    const auto compacted = ordeal.rig().sink().all<agent::Compacted>();
    REQUIRE(compacted.size() == 1);
    CHECK(compacted[0].trigger == agent::CompactionTrigger::window_exceeded);
    CHECK(compacted[0].fault.empty());
    CHECK(ordeal.rig().sink().all<agent::Retrying>().size() == faults.size() - 1);
  } while (std::next_permutation(faults.begin(), faults.end()));
}

std::string http_date(std::chrono::system_clock::time_point at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}

// The run is told to wait eight seconds, give or take the second that a date leaves open.
void check_wait(StreamApi api, const std::string& header, const std::string& value) {
  CAPTURE(header);
  CAPTURE(value);
  Ordeal ordeal(api, {});
  ServerReply refusal = error(429, "rate_limit_error", "slower");
  refusal.headers.emplace_back(header, value);
  ordeal.server().add(refusal);
  AgentRig& rig = ordeal.rig();
  rig.start();
  rig.sink().wait([](const auto& e) { return std::holds_alternative<agent::Retrying>(e); }, "wait");
  const auto delay = rig.sink().all<agent::Retrying>().front().delay;
  CHECK(delay > 7s);
  CHECK(delay <= 8s);
  REQUIRE(rig.clock.wait_pending(1));
  rig.clock.advance(delay - 1ms);
  CHECK(rig.clock.pending() == 1);  // still waiting
  CHECK(ordeal.server().requests().size() == 1);
  rig.clock.advance(1ms);
  CHECK(rig.wait_end().ending == agent::Ending::completed);
  CHECK(ordeal.server().requests().size() == 2);
}

}  // namespace

TEST_CASE("every order of faults that pass, over the Messages API") {
  check_in_every_order(StreamApi::messages, {Fault::stall, Fault::reset, Fault::limited,
                                             Fault::overloaded, Fault::page});
}

TEST_CASE("every order of faults that pass, over Chat Completions") {
  check_in_every_order(StreamApi::chat, {Fault::stall, Fault::reset, Fault::limited, Fault::failed,
                                         Fault::gateway_page});
}

TEST_CASE("a 413 among other faults, in every order") {
  check_too_large_in_every_order(StreamApi::messages);
  check_too_large_in_every_order(StreamApi::chat);
}

TEST_CASE("retry-after in its three forms") {
  for (const StreamApi api : {StreamApi::messages, StreamApi::chat}) {
    check_wait(api, "retry-after", "8");
    check_wait(api, "retry-after-ms", "8000");
    check_wait(api, "Retry-After", http_date(FakeClock().wall() + 8s));
  }
}

TEST_CASE("a wait longer than the limit is not begun: the run ends and tells the time") {
  for (const StreamApi api : {StreamApi::messages, StreamApi::chat}) {
    Ordeal ordeal(api, {});
    ServerReply refusal = error(429, "rate_limit_error", "slower");
    refusal.headers.emplace_back("retry-after", "90");
    ordeal.server().add(refusal);
    const auto end = ordeal.go();
    CHECK(end.ending == agent::Ending::model_error);
    CAPTURE(end.message);
    CHECK(end.message.find("90") != std::string::npos);
    CHECK(ordeal.rig().sink().all<agent::Retrying>().empty());
  }
}

TEST_CASE("an account without money is told once: one request, no wait, one ending") {
  for (const StreamApi api : {StreamApi::messages, StreamApi::chat}) {
    Ordeal ordeal(api, {});
    ordeal.server().add(error(429, "insufficient_quota", "You exceeded your current quota."));
    CHECK(ordeal.go().ending == agent::Ending::model_error);
    CHECK(ordeal.server().requests().size() == 1);
    CHECK(ordeal.rig().sink().all<agent::Retrying>().empty());
    CHECK(ordeal.rig().sink().all<agent::RunEnded>().size() == 1);
  }
}
