// agent/compact over real HTTP: its request begins with the bytes of the run before it, whatever
// that was asked to tell the model, so that the endpoint's prompt cache holds the conversation.
#include "endpoints/session.h"
#include "support/anthropic_replies.h"
#include "support/model_server.h"

using namespace agentd;
using namespace agentd::test;

TEST_CASE("a conversation that is summed up is told with the tools and words of its last run") {
  Workspace workspace;
  ModelServer server;
  server.set_handler([](const SeenRequest&) {
    return ServerReply::stream(AnthropicReply().text("We talked about milk.").str());
  });
  Session session(workspace,
                  {{"ANTHROPIC_API_KEY", "sk-test"}, {"ANTHROPIC_BASE_URL", server.url()}});
  const Json started = session.ask("agent/start", {{"prompt", "Note: milk"},
                                                   {"sessionId", "s"},
                                                   {"model", "anthropic/m"},
                                                   {"systemPrompt", "You keep lists."},
                                                   {"tools", {"Read", "Grep"}},
                                                   {"toolChoice", {{"type", "none"}}}});
  REQUIRE_MESSAGE(started.contains("result"), started.dump());
  CHECK(session.wait_end()["ending"] == "completed");
  const Json compacted = session.ask("agent/compact", {{"sessionId", "s"}});
  REQUIRE_MESSAGE(compacted.contains("result"), compacted.dump());
  CHECK(session.wait_end()["ending"] == "completed");
  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  const Json first = Json::parse(requests[0].body);
  const Json second = Json::parse(requests[1].body);
  for (const char* member : {"model", "system", "tools", "tool_choice"}) {
    CAPTURE(std::string(member));
    CHECK(first.contains(member));
    CHECK(first.value(member, Json()) == second.value(member, Json()));
  }
  CHECK(first["system"].dump().find("You keep lists.") != std::string::npos);
  CHECK(first["tools"].size() == 2);
  CHECK(second["messages"].dump().find("Note: milk") != std::string::npos);
}
