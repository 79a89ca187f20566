// An endpoint whose window is far smaller than agentd takes it for, as local servers have it: the
// first refusal tells, and the compaction that follows leaves a conversation that fits.
#include <atomic>

#include "endpoints/session.h"
#include "support/chat_replies.h"
#include "support/model_server.h"

using namespace agentd;
using namespace agentd::test;

namespace {

constexpr std::size_t kWindow = 12'000;  // tokens
constexpr int kReads = 14;

// Reads one file after the other; refuses what is larger than its window, which `told` names.
class SmallServer {
 public:
  explicit SmallServer(bool told) : told_(told) {
    server_.set_handler([this](const SeenRequest& request) { return answer(request); });
  }
  std::string url() const { return server_.url(); }
  int refused() const { return refused_; }

 private:
  ServerReply answer(const SeenRequest& request) {
    const Json body = Json::parse(request.body);
    const std::size_t tokens = body.at("messages").dump().size() / 4;
    if (tokens > kWindow) return refuse(tokens);
    const std::string last = body["messages"].back().dump();
    if (last.find("## Next step") != std::string::npos) {
      return ServerReply::stream(ChatReply().text("Some files were read.").str());
    }
    if (reads_ == kReads) return ServerReply::stream(ChatReply().text("Done.").str());
    const std::string number = std::to_string(reads_++);
    return ServerReply::stream(
        ChatReply().call("t" + number, "Read", {{"file_path", "f" + number}}).str());
  }

  ServerReply refuse(std::size_t tokens) {
    ++refused_;
    const std::string message =
        told_ ? "This model's maximum context length is " + std::to_string(kWindow) +
                    " tokens. However, your messages resulted in " + std::to_string(tokens) + "."
              : "Your input exceeds the context window of this model.";
    return ServerReply::json(
        400, Json{{"error", {{"message", message}, {"type", "invalid_request_error"}}}}.dump());
  }

  bool told_;
  std::atomic<int> reads_{0};
  std::atomic<int> refused_{0};
  ModelServer server_;
};

void check_goes_on(bool told) {
  Workspace workspace;
  for (int i = 0; i < kReads; ++i) {
    std::string text;
    for (int line = 0; line < 200; ++line) text += "some words stand here in file\n";
    workspace.write("work/f" + std::to_string(i), text);
  }
  SmallServer server(told);
  Session session(workspace, {{"OPENAI_BASE_URL", server.url() + "/v1"}});
  const Json end = session.run("openai-chat/small", "Read them all.");
  CAPTURE(end.dump());
  CHECK(end["ending"] == "completed");
  CHECK(server.refused() >= 1);
  CHECK(server.refused() <= 4);
  for (const Json& compacted : session.seen("agent/compacted")) {
    CAPTURE(compacted.dump());
    CHECK(compacted["tokensAfter"] < compacted["tokensBefore"]);
  }
  session.ask("agent/start", {{"prompt", "And now?"}, {"sessionId", end["sessionId"]}});
  CHECK(session.wait_end()["ending"] == "completed");
}

}  // namespace

TEST_CASE("a window that the endpoint tells in its refusal is believed") {
  check_goes_on(true);
}

TEST_CASE("of a window that is not told, what was refused is the measure") {
  check_goes_on(false);
}
