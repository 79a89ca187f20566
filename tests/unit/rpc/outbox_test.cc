// The outbox against real pipes: order, joining, bounds, gates, and a reader that goes away.
#include "rpc/outbox.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "platform/fd.h"
#include "platform/stdio.h"

using namespace agentd;
using namespace agentd::rpc;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    read = platform::Fd(ends[0]);
    write = platform::Fd(ends[1]);
    std::signal(SIGPIPE, SIG_IGN);
  }

  // Fills the pipe, so that the writer is stuck with what comes first.
  std::size_t fill() {
    const int flags = fcntl(write.get(), F_GETFL);
    fcntl(write.get(), F_SETFL, flags | O_NONBLOCK);
    const std::string line = std::string(1023, ' ') + "\n";
    std::size_t written = 0;
    while (true) {
      const ssize_t n = ::write(write.get(), line.data(), line.size());
      if (n <= 0) break;
      written += static_cast<std::size_t>(n);
    }
    fcntl(write.get(), F_SETFL, flags);
    return written;
  }

  // Everything up to the end of the stream.
  std::string read_all() {
    std::string all;
    std::vector<char> buffer(65536);
    while (true) {
      const ssize_t n = ::read(read.get(), buffer.data(), buffer.size());
      if (n <= 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

  platform::Fd read;
  platform::Fd write;
};

std::vector<Json> messages(std::string_view text, Framing framing = Framing::lines) {
  FrameReader reader(framing);
  reader.feed(text);
  reader.finish();
  std::vector<Json> all;
  while (auto frame = reader.next()) {
    REQUIRE(frame->kind == Frame::Kind::message);
    all.push_back(Json::parse(frame->text));
  }
  return all;
}

void no_one_leaves(const std::string& why) {
  FAIL("the client counts as gone: " << why);
}

Delta text_delta(std::string_view text) {
  return {"agent/textDelta", R"("blockId":"b1")", "text", text, false};
}

Delta progress(std::string_view text) {
  return {"agent/toolProgress", R"("toolUseId":"t1","stream":"stdout")", "text", text, true};
}

// Runs `speak` while the client reads nothing, then reads all.
std::vector<Json> read_late(OutboxLimits limits, const std::function<void(Outbox&)>& speak) {
  Pipe pipe;
  pipe.fill();
  Outbox outbox(pipe.write.get(), no_one_leaves, limits);
  outbox.set_framing(Framing::lines);
  outbox.send(R"({"first":true})");  // the writer is stuck with this one, or about to be
  speak(outbox);
  auto all = std::async(std::launch::async, [&] { return pipe.read_all(); });
  CHECK(outbox.drain(20s));
  pipe.write.reset();
  std::vector<Json> heard = messages(all.get());
  REQUIRE(!heard.empty());
  heard.erase(heard.begin());
  return heard;
}

}  // namespace

TEST_CASE("frames go out in order, numbered, framed with headers") {
  Pipe pipe;
  Outbox outbox(pipe.write.get(), no_one_leaves);
  auto run = outbox.open_run("s\"1", "r1", nullptr);
  outbox.send(R"({"id":1})");
  run.notify("agent/runStarted", R"("model":"demo")");
  run.notify("agent/bare", "");
  CHECK(outbox.drain(20s));
  pipe.write.reset();
  const auto heard = messages(pipe.read_all(), Framing::headers);
  REQUIRE(heard.size() == 3);
  CHECK(heard[0] == Json::parse(R"({"id":1})"));
  CHECK(heard[1] == Json::parse(R"({"jsonrpc":"2.0","method":"agent/runStarted","params":
      {"sessionId":"s\"1","runId":"r1","seq":1,"model":"demo"}})"));
  CHECK(heard[2]["params"] == Json::parse(R"({"sessionId":"s\"1","runId":"r1","seq":2})"));
}

TEST_CASE("deltas of one block join while they wait; seq has no gaps") {
  const auto heard = read_late({}, [](Outbox& outbox) {
    auto run = outbox.open_run("s", "r", nullptr);
    // A batch the writer has taken is out of reach; fill it first.
    run.notify("agent/fill", R"("x":")" + std::string(20'000, 'x') + '"');
    for (int i = 0; i < 1000; ++i) run.delta(text_delta("a\n\"你"));
    run.delta({"agent/textDelta", R"("blockId":"b2")", "text", "other", false});
    run.notify("agent/toolUse", R"("state":"ready")");
    run.delta(text_delta("after"));
    run.delta(text_delta("wards"));
  });
  REQUIRE(heard.size() == 5);
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += "a\n\"你";
  CHECK(heard[1]["params"]["text"] == expected);
  CHECK(heard[1]["params"]["blockId"] == "b1");
  CHECK(heard[2]["params"]["text"] == "other");
  CHECK(heard[3]["method"] == "agent/toolUse");
  CHECK(heard[4]["params"]["text"] == "afterwards");
  for (std::size_t i = 0; i < heard.size(); ++i) CHECK(heard[i]["params"]["seq"] == i + 1);
}

TEST_CASE("deltas of two runs do not mix") {
  const auto heard = read_late({}, [](Outbox& outbox) {
    auto one = outbox.open_run("s1", "r1", nullptr);
    auto two = outbox.open_run("s2", "r2", nullptr);
    one.notify("agent/fill", R"("x":")" + std::string(20'000, 'x') + '"');
    for (int i = 0; i < 10; ++i) {
      one.delta(text_delta("1"));
      two.delta(text_delta("2"));
    }
  });
  REQUIRE(heard.size() == 3);
  CHECK(heard[1]["params"]["runId"] == "r1");
  CHECK(heard[1]["params"]["text"] == "1111111111");
  CHECK(heard[2]["params"]["runId"] == "r2");
  CHECK(heard[2]["params"]["text"] == "2222222222");
}

TEST_CASE("progress keeps head and tail and says what it skipped") {
  const auto heard = read_late({}, [](Outbox& outbox) {
    auto run = outbox.open_run("s", "r", nullptr);
    run.notify("agent/fill", R"("x":")" + std::string(20'000, 'x') + '"');
    run.delta(progress("BEGIN"));
    for (int i = 0; i < 10'000; ++i) run.delta(progress("0123456789你好\n"));
    run.delta(progress("END"));
  });
  REQUIRE(heard.size() == 2);
  const auto text = heard[1]["params"]["text"].get<std::string>();
  const std::size_t spoken = 5 + 10'000 * 17 + 3;
  CHECK(text.starts_with("BEGIN0123"));
  CHECK(text.ends_with("\nEND"));
  CHECK(text.size() < 64 * 1024 + 100);
  const std::size_t mark = text.find("\n[... ");
  REQUIRE(mark != std::string::npos);
  const std::size_t end = text.find(" bytes not shown ...]\n");
  REQUIRE(end != std::string::npos);
  const std::size_t skipped = std::stoul(text.substr(mark + 6));
  const std::size_t kept = mark + (text.size() - end - 22);
  CHECK(kept + skipped == spoken);
}

TEST_CASE("progress within its limit is whole") {
  const std::string text(64 * 1024, 'p');
  const auto heard = read_late({}, [&](Outbox& outbox) {
    auto run = outbox.open_run("s", "r", nullptr);
    run.notify("agent/fill", R"("x":")" + std::string(20'000, 'x') + '"');
    for (std::size_t i = 0; i < text.size(); i += 1024) run.delta(progress(text.substr(i, 1024)));
  });
  REQUIRE(heard.size() == 2);
  CHECK(heard[1]["params"]["text"] == text);
}

TEST_CASE("a run that is not read closes its gate, and opens it when it is") {
  Pipe pipe;
  pipe.fill();
  Outbox outbox(pipe.write.get(), no_one_leaves, {.run_close = 100'000});
  auto gate = std::make_shared<FlowGate>();
  auto other_gate = std::make_shared<FlowGate>();
  auto run = outbox.open_run("s", "r", gate);
  auto other = outbox.open_run("s", "r2", other_gate);
  other.delta(text_delta("quiet"));
  const std::string piece(1000, 'x');
  for (int i = 0; i < 90; ++i) run.delta(text_delta(piece));
  CHECK(!gate->closed());
  for (int i = 0; i < 20; ++i) run.delta(text_delta(piece));
  CHECK(gate->closed());
  CHECK(!other_gate->closed());
  std::promise<void> opened;
  CHECK(!gate->pass_or_wait([&] { opened.set_value(); }));
  auto all = std::async(std::launch::async, [&] { return pipe.read_all(); });
  CHECK(opened.get_future().wait_for(20s) == std::future_status::ready);
  CHECK(!gate->closed());
  CHECK(outbox.drain(20s));
  pipe.write.reset();
  all.get();
}

TEST_CASE("whole messages count for the gate of the run they are sent with, and take no number") {
  Pipe pipe;
  pipe.fill();
  Outbox outbox(pipe.write.get(), no_one_leaves, {.run_close = 1000});
  outbox.set_framing(Framing::lines);
  auto gate = std::make_shared<FlowGate>();
  auto run = outbox.open_run("s", "r", gate);
  run.delta(text_delta("a"));
  run.send(R"({"own":")" + std::string(900, 'x') + R"("})");
  CHECK(gate->closed());
  run.delta(text_delta("b"));  // does not join what is ahead of the message
  std::promise<void> opened;
  CHECK(!gate->pass_or_wait([&] { opened.set_value(); }));
  auto all = std::async(std::launch::async, [&] { return pipe.read_all(); });
  CHECK(opened.get_future().wait_for(20s) == std::future_status::ready);
  CHECK(outbox.drain(20s));
  pipe.write.reset();
  const std::string text = all.get();
  const auto told = messages(text.substr(text.find('{')));
  REQUIRE(told.size() == 3);
  CHECK(told[0]["params"]["seq"] == 1);
  CHECK(told[1].contains("own"));
  CHECK(told[2]["params"]["seq"] == 2);
}

TEST_CASE("too much unsent counts as gone: told once, gates open, nothing more is taken") {
  Pipe pipe;
  pipe.fill();
  std::promise<std::string> gone;
  Outbox outbox(pipe.write.get(), [&](std::string why) { gone.set_value(std::move(why)); },
                {.run_close = 1000, .gone = 2 * 1024 * 1024});
  auto gate = std::make_shared<FlowGate>();
  auto run = outbox.open_run("s", "r", gate);
  for (int i = 0; i < 100; ++i) run.notify("agent/x", R"("x":")" + std::string(50'000, 'x') + '"');
  auto future = gone.get_future();
  REQUIRE(future.wait_for(20s) == std::future_status::ready);
  CHECK(future.get() == "more than 2 MB wait unread");
  CHECK(!outbox.drain(20s));
  CHECK(!gate->closed());
}

TEST_CASE("a reader that closes is noticed, also when nothing is being written") {
  for (const bool busy : {false, true}) {
    CAPTURE(busy);
    Pipe pipe;
    if (busy) pipe.fill();
    std::promise<std::string> gone;
    Outbox outbox(pipe.write.get(), [&](std::string why) { gone.set_value(std::move(why)); });
    if (busy) outbox.send("{}");
    pipe.read.reset();
    auto future = gone.get_future();
    REQUIRE(future.wait_for(20s) == std::future_status::ready);
    CHECK(future.get() == "it closed its end");
    outbox.send("{}");
    CHECK(!outbox.drain(20s));
  }
}

TEST_CASE("draining gives up on a reader that does not read") {
  Pipe pipe;
  pipe.fill();
  Outbox outbox(pipe.write.get(), no_one_leaves);
  outbox.send("{}");
  const auto begin = std::chrono::steady_clock::now();
  CHECK(!outbox.drain(20ms));
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
}

TEST_CASE("a big last message is whole after draining") {
  Pipe pipe;
  Outbox outbox(pipe.write.get(), no_one_leaves);
  outbox.set_framing(Framing::lines);
  const std::string big(2'000'000, 'y');
  outbox.send("{\"big\":\"" + big + "\"}");
  auto all = std::async(std::launch::async, [&] { return pipe.read_all(); });
  CHECK(outbox.drain(20s));
  pipe.write.reset();
  const auto heard = messages(all.get());
  REQUIRE(heard.size() == 1);
  CHECK(heard[0]["big"] == big);
}

TEST_CASE("many threads speak at once: every run's frames are numbered in order") {
  Pipe pipe;
  Outbox outbox(pipe.write.get(), no_one_leaves);
  outbox.set_framing(Framing::lines);
  auto all = std::async(std::launch::async, [&] { return pipe.read_all(); });
  constexpr int kRuns = 4;
  constexpr int kFrames = 2000;
  std::vector<std::thread> threads;
  for (int r = 0; r < kRuns; ++r) {
    threads.emplace_back([&outbox, r] {
      auto run = outbox.open_run("s", std::to_string(r), std::make_shared<FlowGate>());
      for (int i = 0; i < kFrames; ++i) {
        if (i % 7 == 0) {
          run.notify("agent/mark", R"("n":)" + std::to_string(i));
        } else {
          run.delta(text_delta("x"));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(outbox.drain(20s));
  pipe.write.reset();
  std::vector<std::uint64_t> seq(kRuns, 0);
  std::vector<std::size_t> characters(kRuns, 0);
  for (const Json& message : messages(all.get())) {
    const auto& params = message["params"];
    const auto r = static_cast<std::size_t>(std::stoi(params["runId"].get<std::string>()));
    CHECK(params["seq"] == ++seq[r]);
    if (params.contains("text")) characters[r] += params["text"].get<std::string>().size();
  }
  for (const std::size_t count : characters) CHECK(count == kFrames - (kFrames + 6) / 7);
}
