// A budget in dollars through the real binary: the run ends when its calls have cost more, and
// keeps what they did.
#include "endpoints/session.h"
#include "support/anthropic_replies.h"
#include "support/model_server.h"

using namespace agentd;
using namespace agentd::test;

TEST_CASE("a run ends when it has cost what was allowed") {
  Workspace workspace;
  workspace.write("work/notes.txt", "some notes\n");
  ModelServer server;
  server.set_handler([](const SeenRequest&) {
    return ServerReply::stream(AnthropicReply()
                                   .usage(100'000, 1'000)
                                   .tool_use("toolu_1", "Read", {{"file_path", "notes.txt"}})
                                   .str());
  });
  Session session(workspace,
                  {{"ANTHROPIC_API_KEY", "sk-test"}, {"ANTHROPIC_BASE_URL", server.url()}});
  // 100 000 tokens in at 2 dollars a million, 1 000 out at 10: 0.21.
  session.ask("agent/start",
              {{"prompt", "go"}, {"model", "anthropic/claude-sonnet-5-5"}, {"maxBudgetUsd", 0.2}});
  const Json end = session.wait_end();
  CAPTURE(end.dump());
  CHECK(end["ending"] == "max_budget");
  CHECK(end["outcome"] == "stopped");
  CHECK(end["turns"] == 1);
  CHECK(end["message"].get<std::string>().find("$0.21") != std::string::npos);
  CHECK(session.seen("agent/toolResult").size() == 1);
}
