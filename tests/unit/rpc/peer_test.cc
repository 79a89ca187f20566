// JSON-RPC 2.0: exactly one reply per request, whatever the request looks like.
#include "rpc/peer.h"

#include <doctest/doctest.h>

#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <vector>

#include "support/recordings.h"

using namespace agentd;
using namespace agentd::rpc;

namespace {

// A peer with a few methods, and all it sent.
struct Desk {
  Desk()
      : peer([this](std::string text) {
          std::lock_guard lock(mutex);
          raw.push_back(text);
          sent.push_back(Json::parse(text));
        }) {
    peer.bind_request("echo", [](const Json& params, Reply reply) { reply.result(params.dump()); });
    peer.bind_request("keep", [this](const Json&, Reply reply) { kept.push_back(reply); });
    peer.bind_request("forget", [](const Json&, Reply) {});
    peer.bind_request("throw", [](const Json&, Reply) { throw std::runtime_error("oops"); });
    peer.bind_request("fail", [](const Json&, Reply reply) {
      reply.error(make_error(Code::invalid_input, "expected a string", "params.prompt[1].type"));
    });
    peer.bind_notification("tell", [this](const Json& params) { told.push_back(params); });
  }

  Json answer(std::string_view text) {
    sent.clear();
    peer.receive(text);
    REQUIRE(sent.size() == 1);
    return sent[0];
  }
  bool silent(std::string_view text) {
    sent.clear();
    peer.receive(text);
    return sent.empty();
  }

  std::mutex mutex;
  std::vector<std::string> raw;
  std::vector<Json> sent;
  std::vector<Reply> kept;
  std::vector<Json> told;
  Peer peer;
};

int code(const Json& answer) {
  return answer["error"]["code"].get<int>();
}

}  // namespace

TEST_CASE("a request is answered with its own id") {
  Desk desk;
  for (const char* id : {"0", "7", "-3", "\"a\"", "\"\"", "\"\\u00e9\\n\"", "1.5", "1.0", "1e3",
                         "123456789012345678901234567890"}) {
    CAPTURE(id);
    const std::string text = R"({"id":)" + std::string(id) +
                             R"( ,"x":{"id":99},"jsonrpc":"2.0","method":"echo","params":[1]})";
    const Json answer = desk.answer(text);
    CHECK(answer["jsonrpc"] == "2.0");
    CHECK(answer["id"] == Json::parse(id));
    CHECK(answer["result"] == Json::parse("[1]"));
    CHECK(answer.size() == 3);
  }
}

TEST_CASE("ids that are no plain integers come back digit by digit") {
  Desk desk;
  for (const char* id : {"1.0", "1e3", "1.50", "123456789012345678901234567890"}) {
    desk.peer.receive(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"echo"})");
    CHECK(desk.raw.back() == R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":null})");
  }
}

TEST_CASE("what is no message gets one error with id null") {
  Desk desk;
  const auto check = [&](std::string_view text, int expected) {
    CAPTURE(text);
    const Json answer = desk.answer(text);
    CHECK(code(answer) == expected);
    CHECK(answer["id"].is_null());
  };
  check("", -32700);
  check("{\"jsonrpc\":\"2.0\",", -32700);
  check("{} {}", -32700);
  check("{\"a\":\"\xff\"}", -32700);
  check(std::string(100'000, '['), -32700);
  check("[]", -32600);
  check(R"([{"jsonrpc":"2.0","id":1,"method":"echo"}])", -32600);
  check("1", -32600);
  check("null", -32600);
  check(R"({"jsonrpc":"2.0","method":"echo","id":null})", -32600);
  check(R"({"jsonrpc":"2.0","method":"echo","id":true})", -32600);
  check(R"({"jsonrpc":"2.0","method":"echo","id":[1]})", -32600);
  check(R"({"jsonrpc":"2.0","method":1})", -32600);
}

TEST_CASE("a bad request with a good id gets the id back") {
  Desk desk;
  const auto check = [&](std::string_view text, int expected) {
    CAPTURE(text);
    const Json answer = desk.answer(text);
    CHECK(code(answer) == expected);
    CHECK(answer["id"] == 5);
  };
  check(R"({"id":5,"method":"echo"})", -32600);
  check(R"({"jsonrpc":"1.0","id":5,"method":"echo"})", -32600);
  check(R"({"jsonrpc":2.0,"id":5,"method":"echo"})", -32600);
  check(R"({"jsonrpc":"2.0","id":5})", -32600);
  check(R"({"jsonrpc":"2.0","id":5,"method":["echo"]})", -32600);
  check(R"({"jsonrpc":"2.0","id":5,"method":"echo","params":"text"})", -32602);
  check(R"({"jsonrpc":"2.0","id":5,"method":"nothing"})", -32601);
  check(R"({"jsonrpc":"2.0","id":5,"method":"$/nothing"})", -32601);
  check(R"({"jsonrpc":"2.0","id":5,"method":"tell"})", -32601);
}

TEST_CASE("bad params name the path of the fault") {
  Desk desk;
  const Json answer = desk.answer(R"({"jsonrpc":"2.0","id":1,"method":"fail","params":{}})");
  CHECK(code(answer) == -32602);
  CHECK(answer["error"]["message"] == "expected a string");
  CHECK(answer["error"]["data"]["path"] == "params.prompt[1].type");
  CHECK(answer["error"]["data"]["code"] == "invalidInput");
}

TEST_CASE("notifications and responses are never answered") {
  Desk desk;
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"tell","params":{"a":1}})"));
  CHECK(desk.told == std::vector<Json>{Json{{"a", 1}}});
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"tell","params":null})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"unknown"})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"$/unknown","params":{}})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"tell","params":3})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","id":4,"result":1})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}})"));
}

TEST_CASE("a handler that lets go without an answer, or throws, still answers") {
  Desk desk;
  CHECK(code(desk.answer(R"({"jsonrpc":"2.0","id":1,"method":"forget"})")) == -32603);
  const Json thrown = desk.answer(R"({"jsonrpc":"2.0","id":2,"method":"throw"})");
  CHECK(code(thrown) == -32603);
  CHECK(thrown["id"] == 2);
  CHECK(desk.peer.unanswered() == 0);
}

TEST_CASE("a second answer is dropped") {
  Desk desk;
  CHECK(desk.silent(R"({"jsonrpc":"2.0","id":1,"method":"keep"})"));
  CHECK(desk.peer.unanswered() == 1);
  desk.kept[0].result("1");
  desk.kept[0].result("2");
  desk.kept[0].error(make_error(Code::internal, "three"));
  desk.kept.clear();
  REQUIRE(desk.sent.size() == 1);
  CHECK(desk.sent[0]["result"] == 1);
  CHECK(desk.peer.unanswered() == 0);
}

TEST_CASE("a cancel reaches the hook of that request, once") {
  Desk desk;
  int cancelled = 0;
  desk.peer.receive(R"({"jsonrpc":"2.0","id":0,"method":"keep"})");
  desk.peer.receive(R"({"jsonrpc":"2.0","id":"0","method":"keep"})");
  desk.kept[0].on_cancel([&](const Reply& reply) {
    ++cancelled;
    reply.error(make_error(Code::cancelled, "cancelled"));
  });
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":9}})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":[]})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"$/cancelRequest"})"));
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"0"}})"));
  CHECK(cancelled == 0);
  const Json answer =
      desk.answer(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}})");
  CHECK(code(answer) == -32800);
  CHECK(answer["id"] == 0);
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}})"));
  CHECK(cancelled == 1);
}

TEST_CASE("an id used twice at once gets two answers") {
  Desk desk;
  desk.peer.receive(R"({"jsonrpc":"2.0","id":1,"method":"keep"})");
  desk.peer.receive(R"({"jsonrpc":"2.0","id":1,"method":"keep"})");
  desk.kept.clear();
  CHECK(desk.sent.size() == 2);
  CHECK(desk.peer.unanswered() == 0);
}

TEST_CASE("the gate refuses requests and drops notifications") {
  Desk desk;
  desk.peer.set_gate([](std::string_view method) -> std::optional<Refusal> {
    if (method == "echo") return std::nullopt;
    return Refusal{kServerNotInitialized, "not yet"};
  });
  CHECK(code(desk.answer(R"({"jsonrpc":"2.0","id":1,"method":"keep"})")) == -32002);
  CHECK(code(desk.answer(R"({"jsonrpc":"2.0","id":1,"method":"unknown"})")) == -32002);
  CHECK(desk.silent(R"({"jsonrpc":"2.0","method":"tell"})"));
  CHECK(desk.told.empty());
  CHECK(desk.answer(R"({"jsonrpc":"2.0","id":1,"method":"echo"})").contains("result"));
}

TEST_CASE("a reply that outlives the peer goes nowhere") {
  std::vector<Reply> kept;
  int sent = 0;
  {
    Peer peer([&](std::string) { ++sent; });
    peer.bind_request("keep", [&](const Json&, Reply reply) { kept.push_back(reply); });
    peer.receive(R"({"jsonrpc":"2.0","id":1,"method":"keep"})");
  }
  kept[0].result("1");
  kept.clear();
  CHECK(sent == 0);
}

TEST_CASE("a flood of 3000 requests, answered from several threads, each once") {
  constexpr int kRequests = 3000;
  std::mutex mutex;
  std::vector<Json> sent;
  Peer peer([&](std::string text) {
    std::lock_guard lock(mutex);
    sent.push_back(Json::parse(text));
  });
  std::vector<Reply> kept;
  peer.bind_request("keep", [&](const Json&, Reply reply) { kept.push_back(reply); });
  for (int i = 0; i < kRequests; ++i) {
    peer.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"keep"})");
  }
  CHECK(peer.unanswered() == kRequests);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&kept, t] {
      // Every reply is answered by two of the threads; one answer counts.
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (i % 2 == t % 2) kept[i].result("true");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<int> ids;
  for (const Json& answer : sent) ids.insert(answer["id"].get<int>());
  CHECK(sent.size() == kRequests);
  CHECK(ids.size() == kRequests);
  CHECK(peer.unanswered() == 0);
}

// The examples of the JSON-RPC 2.0 specification, where the recordings are at hand. Batches are
// the one thing we refuse: LSP has none.
TEST_CASE("the specification's examples" *
          doctest::skip(!test::recordings_present("jsonrpc/spec-examples.json"))) {
  std::ifstream file(test::recordings() / "jsonrpc/spec-examples.json");
  const Json examples = Json::parse(file);
  int checked = 0;
  for (const Json& example : examples["cases"]) {
    const auto& text = example["send"].get_ref<const std::string&>();
    CAPTURE(text);
    std::vector<Json> sent;
    Peer peer([&](std::string answer) { sent.push_back(Json::parse(answer)); });
    peer.bind_request("subtract", [](const Json& params, Reply reply) {
      const int a = params.is_array() ? params[0].get<int>() : params["minuend"].get<int>();
      const int b = params.is_array() ? params[1].get<int>() : params["subtrahend"].get<int>();
      reply.result(std::to_string(a - b));
    });
    peer.bind_notification("update", [](const Json&) {});
    peer.receive(text);
    const Json& expected = example["expect"];
    const bool batch = text.front() == '[';
    if (expected.is_null() && !batch) {
      CHECK(sent.empty());
    } else {
      REQUIRE(sent.size() == 1);
      if (expected.is_object() && expected.contains("result")) {
        CHECK(sent[0] == expected);
      } else {
        CHECK(sent[0]["id"] == (batch ? Json() : expected["id"]));
        const bool parses = Json::accept(text);
        CHECK(code(sent[0]) == (batch && parses ? -32600 : expected["error"]["code"].get<int>()));
      }
    }
    ++checked;
  }
  CHECK(checked >= 15);
}
