// The real binary against an endpoint of Chat Completions: over the variables, and as a provider of
// the user's own settings. The endpoint is a server on the loopback that judges every request.
#include <doctest/doctest.h>

#include <mutex>

#include "endpoints/session.h"
#include "support/chat_replies.h"
#include "support/model_server.h"
#include "support/strict_chat_api.h"

using namespace agentd;
using namespace agentd::test;

namespace {

// Answers with its replies in turn, but for requests that the real API would refuse.
class StrictServer {
 public:
  StrictServer() {
    server_.set_handler([this](const SeenRequest& request) {
      std::lock_guard lock(mutex_);
      if (auto refusal = StrictChatApi().refuse(request)) return *refusal;
      if (replies_.empty()) return ServerReply::stream(ChatReply().text("No more.").str());
      ServerReply reply = ServerReply::stream(replies_.front().str());
      replies_.erase(replies_.begin());
      return reply;
    });
  }
  void add(ChatReply reply) {
    std::lock_guard lock(mutex_);
    replies_.push_back(std::move(reply));
  }
  std::string url() const { return server_.url() + "/v1"; }
  std::vector<SeenRequest> requests() const { return server_.requests(); }

 private:
  std::mutex mutex_;
  std::vector<ChatReply> replies_;
  ModelServer server_;
};

std::string texts(const std::vector<Json>& deltas) {
  std::string text;
  for (const Json& delta : deltas) text += delta.at("text").get<std::string>();
  return text;
}

// All of a request but what may change at its end.
std::string without_tail(const std::string& body) {
  return body.substr(0, body.rfind("],\"stream\""));
}

}  // namespace

TEST_CASE("a run over OPENAI_BASE_URL: reasoning, a call, its result, the answer") {
  Workspace workspace;
  workspace.write("work/a.txt", "the content\n");
  StrictServer server;
  server.add(ChatReply()
                 .reasoning("I should look.")
                 .call("call_1", "Read", {{"file_path", "a.txt"}})
                 .usage(100, 10));
  server.add(ChatReply().text("It says: the content").usage(120, 5));
  Session session(workspace, {{"OPENAI_API_KEY", "sk-test"}, {"OPENAI_BASE_URL", server.url()}});
  const Json end = session.run("openai-chat/some-model", "What is in a.txt?");
  CAPTURE(end.dump());
  CHECK(end["ending"] == "completed");
  CHECK(end["turns"] == 2);
  CHECK(end["usage"]["outputTokens"] == 15);
  CHECK(texts(session.seen("agent/textDelta")) == "It says: the content");
  CHECK(texts(session.seen("agent/thinkingDelta")) == "I should look.");

  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(*requests[0].header("authorization") == "Bearer sk-test");
  CHECK(requests[1].body.starts_with(without_tail(requests[0].body)));
  const Json second = Json::parse(requests[1].body);
  CHECK(second["model"] == "some-model");
  const Json& messages = second["messages"];
  CHECK(messages[messages.size() - 2]["reasoning_content"] == "I should look.");
  CHECK(messages.back()["tool_call_id"] == "call_1");
  CHECK(messages.back()["content"].get<std::string>().find("the content") != std::string::npos);
}

TEST_CASE("a provider of the user's settings: its key is sent, and hidden from commands") {
  Workspace workspace;
  StrictServer server;
  workspace.write("home/.config/agentd/settings.json",
                  R"({"providers": {"gate": {"api": "openai-chat", "baseUrl": ")" + server.url() +
                      R"(", "apiKeyEnv": "GATE_PASS", "models": ["big"]}}})");
  // A project's own says nothing.
  workspace.write("work/.agentd/settings.json",
                  R"({"providers": {"gate": {"api": "openai-chat", "baseUrl": "http://evil"}}})");
  server.add(ChatReply().call("call_1", "Bash",
                              {{"command", "env; tr '\\0' '\\n' < /proc/$PPID/environ"}}));
  server.add(ChatReply().text("done"));
  Session session(workspace, {{"GATE_PASS", "hidden-pass"}});

  bool listed = false;
  const Json models = session.ask("model/list", Json::object());
  for (const Json& model : models["result"]["models"]) {
    listed = listed || (model["name"] == "gate/big" && model["available"] == true);
  }
  CHECK(listed);
  CHECK(session.run("gate/big", "go")["ending"] == "completed");
  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(*requests[0].header("authorization") == "Bearer hidden-pass");
  CHECK(requests[1].body.find("HOME=") != std::string::npos);
  CHECK(requests[1].body.find("hidden-pass") == std::string::npos);
  bool told = false;
  for (const Json& notice : session.seen("agent/notice")) {
    told = told || notice["code"] == "settings_ignored";
  }
  CHECK(told);
}

TEST_CASE("a refused key is told with the variable, and never shown") {
  Workspace workspace;
  ModelServer server;
  server.add(ServerReply::json(
      401,
      R"({"error":{"message":"Incorrect API key provided: sk-proj-very-secret-key","type":"invalid_request_error","code":"invalid_api_key"}})"));
  Session session(workspace, {{"OPENAI_API_KEY", "sk-proj-very-secret-key"},
                              {"OPENAI_BASE_URL", server.url()}});
  const Json end = session.run("openai-chat/m", "go");
  CHECK(end["ending"] == "model_error");
  const auto message = end["message"].get<std::string>();
  CHECK(message.find("OPENAI_API_KEY") != std::string::npos);
  CHECK(message.find("secret") == std::string::npos);
}

TEST_CASE("images and a limit that the endpoint refuses are left out, one after the other") {
  Workspace workspace;
  ModelServer server;
  server.set_handler([](const SeenRequest& request) {
    const auto refuse = [](const std::string& message) {
      return ServerReply::json(
          400, Json{{"error", {{"message", message}, {"type", "invalid_request_error"}}}}.dump());
    };
    if (request.body.find("image_url") != std::string::npos) {
      return refuse("messages[1]: unknown variant `image_url`, expected `text`");
    }
    const Json body = Json::parse(request.body);
    if (body.at("max_tokens") > 4'096) {
      return refuse("max_tokens is too large: " + body["max_tokens"].dump() +
                    ". This model supports at most 4096 completion tokens.");
    }
    return ServerReply::stream(ChatReply().text("I cannot see it.").str());
  });
  Session session(workspace, {{"OPENAI_API_KEY", "sk-test"}, {"OPENAI_BASE_URL", server.url()}});
  const Json prompt = {{{"type", "text"}, {"text", "What is this?"}},
                       {{"type", "image"}, {"mediaType", "image/png"}, {"data", "iVBORw0KGgo="}}};
  const Json end = session.run("openai-chat/gpt-4o", prompt);
  CAPTURE(end.dump());
  CHECK(end["ending"] == "completed");
  CHECK(end["turns"] == 3);
  const auto notices = session.seen("agent/notice");
  REQUIRE(notices.size() == 2);
  CHECK(notices[0]["code"] == "image_refused");
  CHECK(notices[1]["code"] == "output_limit_refused");
  CHECK(session.run("openai-chat/gpt-4o", "Again")["turns"] == 1);
}
