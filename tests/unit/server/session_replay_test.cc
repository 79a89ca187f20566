// A replay on a real pipe: the parts as notifications of their runs.
#include "server/session_replay.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "platform/fd.h"
#include "protocol/methods.h"
#include "wire/decode.h"
#include "wire/parse.h"

using namespace agentd;
using namespace agentd::server;

TEST_CASE("a replay numbers each run anew and says that it is one") {
  int ends[2] = {-1, -1};
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  platform::Fd read_end(ends[0]);
  platform::Fd write_end(ends[1]);
  {
    rpc::Outbox outbox(write_end.get(), [](const std::string&) {});
    outbox.set_framing(rpc::Framing::lines);
    SessionReplay replay(outbox, "s\"1", std::make_shared<FlowGate>());
    replay.tell({7, "r1", "agent/runStarted", R"({"model":"demo"})", 0});
    replay.tell({8, "r1", "agent/textDelta", R"({"blockId":"b1","text":"Hi."})", 1});
    replay.tell({9, "r2", "agent/runStarted", R"({"model":"demo"})", 2});
    replay.tell({10, "r2", "agent/anything", "{}", 2});
    CHECK(outbox.drain(std::chrono::seconds(20)));
  }
  write_end.reset();
  std::string text(4096, '\0');
  const ssize_t n = read(read_end.get(), text.data(), text.size());  // less than a pipe holds
  REQUIRE(n > 0);
  rpc::FrameReader reader(rpc::Framing::lines);
  reader.feed({text.data(), static_cast<std::size_t>(n)});
  std::vector<wire::Json> told;
  while (auto frame = reader.next()) {
    auto json = wire::parse(frame->text);
    REQUIRE(json.has_value());
    told.push_back(std::move(*json));
  }
  REQUIRE(told.size() == 4);
  CHECK(told[0]["jsonrpc"] == "2.0");
  CHECK(told[0]["method"] == "agent/runStarted");
  const auto started =
      wire::decode<protocol::OfRun<protocol::RunStarted>>(told[0]["params"], "params");
  REQUIRE(started.has_value());
  CHECK(started->session_id == "s\"1");
  CHECK(started->run_id == "r1");
  CHECK(started->seq == 1);
  CHECK(started->replay == true);
  CHECK(started->model == "demo");
  const auto said = wire::decode<protocol::OfRun<protocol::TextDelta>>(told[1]["params"], "params");
  REQUIRE(said.has_value());
  CHECK(said->seq == 2);
  CHECK(said->text == "Hi.");
  CHECK(told[2]["params"]["runId"] == "r2");
  CHECK(told[2]["params"]["seq"] == 1);
  CHECK(told[3]["params"]["seq"] == 2);
  CHECK(told[3]["params"].size() == 4);
}
