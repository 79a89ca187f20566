// The judge's own tests: traffic that breaks a promise must be refused.
#include "transcripts/contract.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using namespace agentd::transcripts;

namespace {

const Contract& contract() {
  static const Contract published(std::string(AGENTD_SOURCE_DIR) + "/protocol");
  return published;
}

/// Notifications of one run, seq counted.
class Traffic {
 public:
  Traffic() : watch(contract()) {}

  void say(const std::string& method, Json params = Json::object()) {
    params["sessionId"] = "s";
    params["runId"] = "r";
    params["seq"] = ++seq;
    watch.received({{"jsonrpc", "2.0"}, {"method", "agent/" + method}, {"params", params}});
  }
  void announce() {
    watch.sent(
        {{"jsonrpc", "2.0"}, {"id", 0}, {"method", "agent/start"}, {"params", {{"prompt", "p"}}}});
    watch.received(
        {{"jsonrpc", "2.0"}, {"id", 0}, {"result", {{"sessionId", "s"}, {"runId", "r"}}}});
  }
  void begin() { say("runStarted", {{"model", "demo"}}); }
  void end() {
    say("runEnded",
        {{"ending", "completed"}, {"outcome", "success"}, {"turns", 1}, {"usage", Json::object()}});
  }
  void call(const std::string& state) {
    Json params{{"toolUseId", "t"}, {"name", "Read"}, {"state", state}};
    if (state == "ready") params["input"] = Json::object();
    say("toolUse", params);
  }
  void result() {
    say("toolResult", {{"toolUseId", "t"},
                       {"name", "Read"},
                       {"status", "completed"},
                       {"isError", false},
                       {"content", Json::array({{{"type", "text"}, {"text", "x"}}})}});
  }
  void ask() {
    say("approvalRequested", {{"toolUseId", "t"},
                              {"name", "Read"},
                              {"input", Json::object()},
                              {"reason", "r"},
                              {"options", Json::array()}});
  }
  void resolve() {
    say("approvalResolved", {{"toolUseId", "t"}, {"decision", "allow"}, {"by", "user"}});
  }

  Watch watch;
  int seq = 0;
};

}  // namespace

TEST_CASE("a run that keeps every promise passes") {
  Traffic traffic;
  traffic.announce();
  traffic.begin();
  traffic.call("started");
  traffic.call("ready");
  traffic.ask();
  traffic.resolve();
  traffic.call("running");
  traffic.result();
  traffic.end();
  traffic.watch.ended();
}

TEST_CASE("what breaks the order or the closure is refused") {
  Traffic traffic;
  SUBCASE("the answer to agent/start is first") {
    CHECK_THROWS(traffic.begin());
    return;
  }
  traffic.announce();
  SUBCASE("runStarted is first") {
    CHECK_THROWS(traffic.call("started"));
    return;
  }
  traffic.begin();
  SUBCASE("seq has no gap") {
    traffic.seq = 5;
    CHECK_THROWS(traffic.call("started"));
    return;
  }
  SUBCASE("a member of the wrong type") {
    CHECK_THROWS(traffic.say("textDelta", {{"text", 1}}));
    return;
  }
  SUBCASE("agent/cancel and shutdown are answered after runEnded") {
    for (const char* method : {"agent/cancel", "shutdown"}) {
      Json params = Json::object();
      Json result;
      if (std::string(method) == "agent/cancel") {
        params["runId"] = "r";
        result = {{"ending", "completed"}};
      }
      traffic.watch.sent({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}});
      CHECK_THROWS(traffic.watch.received({{"jsonrpc", "2.0"}, {"id", 1}, {"result", result}}));
    }
    return;
  }
  SUBCASE("a run that never ends") {
    CHECK_THROWS(traffic.watch.ended());
    return;
  }
  SUBCASE("nothing after runEnded") {
    traffic.end();
    CHECK_THROWS(traffic.call("started"));
    return;
  }
  traffic.call("started");
  SUBCASE("a call without a result") {
    CHECK_THROWS(traffic.end());
    return;
  }
  SUBCASE("running before ready") {
    CHECK_THROWS(traffic.call("running"));
    return;
  }
  SUBCASE("asked before ready") {
    CHECK_THROWS(traffic.ask());
    return;
  }
  traffic.call("ready");
  SUBCASE("resolved without a question") {
    CHECK_THROWS(traffic.resolve());
    return;
  }
  SUBCASE("two results") {
    traffic.result();
    CHECK_THROWS(traffic.result());
    return;
  }
  traffic.ask();
  SUBCASE("running with an open question") {
    CHECK_THROWS(traffic.call("running"));
    return;
  }
  SUBCASE("a result with an open question") {
    CHECK_THROWS(traffic.result());
    return;
  }
}

TEST_CASE("exactly one reply per request, of the declared shape") {
  Watch watch(contract());
  const Json good{{"sessionId", "s"}, {"runId", "r"}};
  const auto ask = [&] {
    watch.sent(
        {{"jsonrpc", "2.0"}, {"id", 0}, {"method", "agent/start"}, {"params", {{"prompt", "p"}}}});
  };
  const auto answer = [&](const Json& result) {
    watch.received({{"jsonrpc", "2.0"}, {"id", 0}, {"result", result}});
  };
  CHECK_THROWS(answer(good));
  ask();
  CHECK_THROWS(watch.ended());
  CHECK_THROWS(answer({{"sessionId", "s"}}));
  ask();
  CHECK_NOTHROW(answer(good));
  CHECK_THROWS(answer(good));
  CHECK_THROWS(watch.ended());  // the run that was announced never ended
}
