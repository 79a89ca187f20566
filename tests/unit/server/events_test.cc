// Every event as the notification it becomes, checked against the declared protocol: what is
// written decodes as the struct of its method.
#include "server/events.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <future>

#include "platform/fd.h"
#include "protocol/methods.h"
#include "wire/decode.h"

using namespace agentd;
using namespace agentd::server;
using namespace std::chrono_literals;

namespace {

// All notifications that `speak` makes a writer send, in order.
std::vector<Json> written(const std::function<void(EventWriter&)>& speak,
                          std::vector<agent::Notice> opening = {}) {
  int ends[2] = {-1, -1};
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  platform::Fd read_end(ends[0]);
  platform::Fd write_end(ends[1]);
  auto all = std::async(std::launch::async, [&] {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(read_end.get(), buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  });
  {
    rpc::Outbox outbox(write_end.get(), [](const std::string&) {});
    outbox.set_framing(rpc::Framing::lines);
    EventWriter writer(outbox.open_run("s1", "r1", nullptr), std::move(opening), {});
    speak(writer);
    CHECK(outbox.drain(20s));
  }
  write_end.reset();
  std::vector<Json> messages;
  rpc::FrameReader reader(rpc::Framing::lines);
  reader.feed(all.get());
  while (auto frame = reader.next()) messages.push_back(Json::parse(frame->text));
  return messages;
}

// The params of the only notification of `event`, which must be `method` and decode as declared.
template <class Params>
Json params(const protocol::Notification<Params>& method, agent::Event event) {
  const auto messages = written([&](EventWriter& writer) { writer.emit(event); });
  REQUIRE(messages.size() == 1);
  CHECK(messages[0]["jsonrpc"] == "2.0");
  CHECK(messages[0]["method"] == method.name);
  const Json& out = messages[0]["params"];
  const auto decoded = wire::decode<Params>(out, "params");
  CHECK_MESSAGE(decoded.has_value(), (decoded ? "" : decoded.error().message));
  CHECK(out["sessionId"] == "s1");
  CHECK(out["runId"] == "r1");
  CHECK(out["seq"] == 1);
  return out;
}

}  // namespace

TEST_CASE("a run's frame: started, opening notices, ended") {
  agent::RunEnded end;
  end.ending = agent::Ending::max_turns;
  end.message = "the limit";
  end.turns = 3;
  end.usage.input_tokens = 7;
  std::optional<agent::Ending> remembered;
  const auto messages = written(
      [&](EventWriter& writer) {
        writer.emit(agent::RunStarted{"demo"});
        writer.emit(end);
        remembered = writer.ending();
      },
      {{agent::NoticeLevel::warning, "no_key", "no key"}});
  REQUIRE(messages.size() == 3);
  CHECK(messages[0]["method"] == "agent/runStarted");
  CHECK(messages[0]["params"]["model"] == "demo");
  CHECK(messages[1]["method"] == "agent/notice");
  CHECK(messages[1]["params"]["level"] == "warning");
  CHECK(messages[2]["method"] == "agent/runEnded");
  CHECK(messages[2]["params"] ==
        Json::parse(R"({"sessionId":"s1","runId":"r1","seq":3,"ending":"max_turns",
            "outcome":"stopped","message":"the limit","turns":3,"usage":{"inputTokens":7}})"));
  CHECK(remembered == agent::Ending::max_turns);
}

TEST_CASE("turns") {
  CHECK(!params(protocol::kTurnStarted, agent::TurnStarted{1, {}}).contains("transition"));
  CHECK(params(protocol::kTurnStarted,
               agent::TurnStarted{2, agent::Transition::next_turn})["transition"] == "next_turn");
  const Json ended = params(protocol::kTurnEnded, agent::TurnEnded{2, "tool_use", {}});
  CHECK(ended["stopReason"] == "tool_use");
  CHECK(ended["usage"] == Json::object());
  CHECK(!params(protocol::kTurnEnded, agent::TurnEnded{2, "", {}}).contains("stopReason"));
}

TEST_CASE("deltas") {
  CHECK(params(protocol::kTextDelta, agent::TextDelta{"b1", "a\"\n你"})["text"] == "a\"\n你");
  CHECK(params(protocol::kThinkingDelta, agent::ThinkingDelta{"b1", "hm"})["blockId"] == "b1");
  const Json progress =
      params(protocol::kToolProgress,
             agent::ToolProgress{"t1", platform::OutputStream::standard_error, "line\n"});
  CHECK(progress["stream"] == "stderr");
  CHECK(progress["text"] == "line\n");
}

TEST_CASE("a call on its way") {
  agent::ToolUse use;
  use.tool_use_id = "t1";
  use.name = "Read";
  CHECK(params(protocol::kToolUse, use)["state"] == "started");
  use.state = agent::ToolUseState::input_delta;
  use.input_delta = "{\"file_";
  CHECK(params(protocol::kToolUse, use)["inputDelta"] == "{\"file_");
  use.input_delta.clear();
  use.state = agent::ToolUseState::ready;
  use.input = std::make_shared<const Json>(Json{{"file_path", "a"}});
  CHECK(params(protocol::kToolUse, use)["input"] == Json{{"file_path", "a"}});
  use.state = agent::ToolUseState::running;
  const Json running = params(protocol::kToolUse, use);
  CHECK(running["state"] == "running");
  CHECK(!running.contains("input"));
}

TEST_CASE("a result with text, image and details") {
  agent::ToolResult result{"t1",
                           "Read",
                           agent::ToolStatus::failed,
                           true,
                           {TextBlock{"text"}, ImageBlock{"image/png", "QQ=="}},
                           Json{{"exitCode", 2}}};
  const Json out = params(protocol::kToolResult, result);
  CHECK(out["status"] == "failed");
  CHECK(out["isError"] == true);
  CHECK(out["content"] == Json::parse(R"([{"type":"text","text":"text"},
      {"type":"image","mediaType":"image/png","data":"QQ=="}])"));
  CHECK(out["details"]["exitCode"] == 2);
  result.details = nullptr;
  CHECK(!params(protocol::kToolResult, result).contains("details"));
}

TEST_CASE("a question offers to allow and to deny") {
  agent::ApprovalRequested question{"t1", "Bash",
                                    std::make_shared<const Json>(Json{{"command", "x"}}),
                                    "it may change anything", "diff"};
  const Json out = params(protocol::kApprovalRequested, question);
  CHECK(out["reason"] == "it may change anything");
  CHECK(out["preview"] == "diff");
  CHECK(out["input"]["command"] == "x");
  REQUIRE(out["options"].size() == 3);
  CHECK(out["options"][0]["decision"] == "allow");
  CHECK(out["options"][0]["scope"] == "once");
  CHECK(out["options"][1]["scope"] == "session");
  CHECK(out["options"][2]["decision"] == "deny");
  const Json resolved = params(
      protocol::kApprovalResolved,
      agent::ApprovalResolved{"t1", agent::ApprovalDecision::deny, agent::ApprovalBy::no_approver});
  CHECK(resolved["decision"] == "deny");
  CHECK(resolved["by"] == "noApprover");
}

TEST_CASE("what went wrong on the way") {
  CHECK(params(protocol::kReplyDiscarded, agent::ReplyDiscarded{2})["turn"] == 2);
  const Json retrying = params(protocol::kRetrying, agent::Retrying{3, 10, 1500ms, "overloaded"});
  CHECK(retrying["attempt"] == 3);
  CHECK(retrying["delayMs"] == 1500);
  CHECK(params(protocol::kNotice,
               agent::Notice{agent::NoticeLevel::error, "code", "text"})["level"] == "error");
}
