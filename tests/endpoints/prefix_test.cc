// A run of a hundred turns: each request begins with the bytes of the one before it, so that the
// endpoint's prompt cache holds all but what is new. Over real HTTP, with the strict servers of
// both APIs, and with everything that is added on the way: results, changed files, what the user
// says.
#include <algorithm>
#include <mutex>

#include "endpoints/session.h"
#include "support/anthropic_replies.h"
#include "support/chat_replies.h"
#include "support/model_server.h"
#include "support/strict_api.h"
#include "support/strict_chat_api.h"

using namespace agentd;
using namespace agentd::test;

namespace {

constexpr std::size_t kTurns = 100;

struct Call {
  std::string name;
  Json input;
};

// What the model asks for at turn `number`; each its own, as the same again and again is asked
// about.
std::vector<Call> calls_of(std::size_t number) {
  const std::string n = std::to_string(number);
  switch (number % 5) {
    case 0:
      return {{"Read", {{"file_path", "notes.txt"}, {"offset", number + 1}}}};
    case 1:
      return {{"Bash",
               {{"command", "echo turn " + n + " | tee -a notes.txt; exit $((" + n + " % 2))"}}}};
    case 2:
      return {{"Grep", {{"pattern", "turn " + n}}}, {"Glob", {{"pattern", "*" + n + "*"}}}};
    case 3:
      return {
          {"Write", {{"file_path", "file" + n + ".txt"}, {"content", "\xE2\x82\xAC " + n + "\n"}}}};
    default:
      return {{"Read", {{"file_path", "missing" + n}}}, {"NoSuchTool", {{"n", number}}}};
  }
}

std::string anthropic_reply(std::size_t number) {
  AnthropicReply reply;
  if (number % 3 == 0) reply.thinking("I think of " + std::to_string(number) + ".", "SIG");
  if (number + 1 == kTurns) return reply.text("Done.").str();
  int index = 0;
  for (const Call& call : calls_of(number)) {
    reply.tool_use("toolu_" + std::to_string(number) + "_" + std::to_string(index++), call.name,
                   call.input);
  }
  return reply.str();
}

std::string chat_reply(std::size_t number) {
  ChatReply reply;
  if (number % 3 == 0) reply.reasoning("I think of " + std::to_string(number) + ".");
  if (number + 1 == kTurns) return reply.text("Done.").str();
  int index = 0;
  for (const Call& call : calls_of(number)) {
    reply.call("call_" + std::to_string(number) + "_" + std::to_string(index++), call.name,
               call.input);
  }
  return reply.str();
}

// Answers the next turn, or as the real endpoint would that is asked for something invalid.
class StrictServer {
 public:
  explicit StrictServer(bool chat) : chat_(chat) {
    server_.set_handler([this](const SeenRequest& request) { return answer(request); });
  }
  std::string url() const { return server_.url(); }
  std::vector<SeenRequest> requests() const { return server_.requests(); }

 private:
  ServerReply answer(const SeenRequest& request) {
    std::lock_guard lock(mutex_);
    if (auto refusal = chat_ ? StrictChatApi().refuse(request) : StrictApi().refuse(request)) {
      return *refusal;
    }
    const std::size_t number = next_++;
    return ServerReply::stream(chat_ ? chat_reply(number) : anthropic_reply(number));
  }

  bool chat_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  ModelServer server_;
};

std::string without_cache_marks(std::string body) {
  constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";
  for (std::size_t at = 0; (at = body.find(kMark, at)) != std::string::npos;) {
    body.erase(at, kMark.size());
  }
  return body;
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

void check_hundred_turns(bool chat) {
  Workspace workspace;
  workspace.write("work/notes.txt", "some notes\n");
  workspace.write("work/AGENTS.md", "Be brief.\n");
  StrictServer server(chat);
  Session session(workspace, {{"OPENAI_API_KEY", "sk-test"},
                              {"OPENAI_BASE_URL", server.url() + "/v1"},
                              {"ANTHROPIC_API_KEY", "sk-test"},
                              {"ANTHROPIC_BASE_URL", server.url()}});
  const Json end = session.run(chat ? "openai-chat/m" : "anthropic/m", "Go on for long.");
  CAPTURE(end.dump());
  CHECK(end["ending"] == "completed");
  CHECK(end["turns"] == kTurns);
  const auto requests = server.requests();
  REQUIRE(requests.size() == kTurns);
  std::string before;
  double least = 1;
  for (const SeenRequest& request : requests) {
    const std::string body = without_cache_marks(request.body);
    if (!before.empty()) {
      const auto shared = static_cast<double>(common_prefix(before, body));
      least = std::min(least, shared / static_cast<double>(before.size()));
    }
    before = body;
  }
  MESSAGE("the least that was kept of a request: " << least * 100 << " %");
  CHECK(least >= 0.99);
  CHECK(before.find("some notes") != std::string::npos);
  CHECK(before.find("turn 96") != std::string::npos);
}

}  // namespace

TEST_CASE("a hundred turns over the Messages API: each request begins as the one before") {
  check_hundred_turns(false);
}

TEST_CASE("a hundred turns over Chat Completions: each request begins as the one before") {
  check_hundred_turns(true);
}
