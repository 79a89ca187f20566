// Two long sessions of a coding agent, recorded with aborted turns, failed tools and compactions,
// replayed as history where they lie beside the source: what is sent is valid for the strict
// servers of both APIs, a turn encodes only what is new, and no compaction parts a call from its
// result.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "context/tail.h"
#include "model/anthropic_encoder.h"
#include "model/openai_chat_encoder.h"
#include "platform/http.h"
#include "support/agent_rig.h"
#include "support/anthropic_replies.h"
#include "support/chat_replies.h"
#include "support/model_server.h"
#include "support/model_talk.h"
#include "support/recorded_session.h"
#include "support/recordings.h"
#include "support/stream_rig.h"
#include "support/strict_api.h"
#include "support/strict_chat_api.h"

using namespace agentd;
using namespace agentd::test;
using context::History;

namespace {

constexpr const char* kFolder = "agent-sessions";
constexpr const char* kSessions[] = {"pi-before-compaction", "pi-large-session"};
constexpr std::size_t kMessagesBetweenRequests = 80;  // a body of 2 MB takes the judge its time

// A server that answers one text, or as the real endpoint would that is asked for nonsense.
class StrictServer {
 public:
  explicit StrictServer(StreamApi api) {
    server_.set_handler([api](const SeenRequest& request) {
      switch (api) {
        case StreamApi::messages:
          if (auto refusal = StrictApi().refuse(request)) return *refusal;
          return ServerReply::stream(AnthropicReply().text("This was done.").str());
        case StreamApi::chat:
          if (auto refusal = StrictChatApi().refuse(request)) return *refusal;
          return ServerReply::stream(ChatReply().text("This was done.").str());
      }
      return ServerReply::broken();
    });
  }
  const ModelServer& server() const { return server_; }

 private:
  ModelServer server_;
};

std::size_t encoded_messages(StreamApi api, const model::EncoderCache& cache) {
  switch (api) {
    case StreamApi::messages:
      return dynamic_cast<const model::AnthropicEncoderCache&>(cache).encoded_messages();
    case StreamApi::chat:
      return dynamic_cast<const model::OpenAiChatEncoderCache&>(cache).encoded_messages();
  }
  return 0;
}

std::set<std::string> ids_of_calls(const Message& message) {
  std::set<std::string> ids;
  for (const Block& block : message.blocks) {
    if (const auto* call = std::get_if<ToolUseBlock>(&block)) ids.insert(call->id);
  }
  return ids;
}

std::set<std::string> ids_of_results(const Message& message) {
  std::set<std::string> ids;
  for (const Block& block : message.blocks) {
    if (const auto* result = std::get_if<ToolResultBlock>(&block)) ids.insert(result->tool_use_id);
  }
  return ids;
}

// How many calls stand in the view; each must be answered in the message behind it, and no result
// stand anywhere else.
std::size_t paired_calls(const context::View& view) {
  std::size_t calls = 0;
  std::set<std::string> open;
  for (const MessagePtr& message : view) {
    CHECK(ids_of_results(*message) == open);
    open = ids_of_calls(*message);
    calls += open.size();
  }
  CHECK(open.empty());
  return calls;
}

History history_of(const std::vector<Message>& messages) {
  History history;
  for (const Message& message : messages) history.append(message);
  return history;
}

// The session grows, and is sent now and then, as a client that keeps one conversation does.
void check_requests(const std::vector<Message>& messages, StreamApi api) {
  StrictServer strict(api);
  FakeClock clock;
  const auto http = platform::make_curl_http();
  const auto provider = provider_for(api, strict.server().url(), false, clock, *http);
  const auto cache = provider->make_cache();
  History history;
  std::size_t since = 0;
  std::size_t sent = 0;
  std::size_t in_view_before = 0;
  std::size_t encoded_before = 0;
  for (const Message& message : messages) {
    history.append(message);
    ++since;
    const bool models_turn = history.view().back()->role == Role::user;
    const bool last = &message == &messages.back();
    if (!models_turn || (since < kMessagesBetweenRequests && !last)) continue;
    since = 0;
    model::ModelRequest request = simple_request("");
    request.messages = history.view();
    request.cache_points = history.take_cache_points();
    ModelTalk talk(*provider, *cache, request);
    const AssembledReply reply = talk.wait_end();
    CHECK_MESSAGE(!reply.failure, (reply.failure ? reply.failure->message : ""));
    ++sent;
    // Only what is new was encoded; a last message that grew counts as new.
    const std::size_t encoded = encoded_messages(api, *cache);
    CHECK(encoded - encoded_before <= history.view().size() - in_view_before + 1);
    encoded_before = encoded;
    in_view_before = history.view().size();
  }
  CHECK(sent >= messages.size() / kMessagesBetweenRequests / 2);
  CHECK(strict.server().requests().size() == sent);
}

// One more prompt at the session's end: it does not fit any more, so the loop makes room first.
void check_compaction_by_the_loop(const std::vector<Message>& messages, StreamApi api,
                                  std::int64_t window) {
  StrictServer strict(api);
  const auto http = platform::make_curl_http();
  AgentRig rig;
  rig.options.model.provider = provider_for(api, strict.server().url(), false, rig.clock, *http);
  rig.options.model.facts.context_window = window;
  rig.conversation.history = history_of(messages);
  const std::size_t logged = rig.conversation.history.log().size();
  rig.start("What did we do?");
  const auto end = rig.wait_end();
  CHECK_MESSAGE(end.ending == agent::Ending::completed, end.message);
  const auto compacted = rig.sink().all<agent::Compacted>();
  REQUIRE(compacted.size() == 1);
  CHECK_MESSAGE(compacted[0].fault.empty(), compacted[0].fault);
  CHECK(compacted[0].tokens_after < compacted[0].tokens_before);
  CHECK(compacted[0].tokens_after < window);
  CHECK(rig.conversation.history.log().size() >= logged + 2);
  paired_calls(rig.conversation.history.view());
}

}  // namespace

TEST_CASE("recorded sessions as history: every request is valid, and a turn encodes what is new" *
          doctest::skip(!recordings_present(kFolder))) {
  for (const char* name : kSessions) {
    CAPTURE(std::string(name));
    const auto messages = recorded_session(name);
    CHECK(messages.size() >= 850);
    for (const StreamApi api : {StreamApi::messages, StreamApi::chat}) {
      CAPTURE(api == StreamApi::messages);
      check_requests(messages, api);
    }
  }
}

TEST_CASE("recorded sessions: a turn on top shares every message before it" *
          doctest::skip(!recordings_present(kFolder))) {
  for (const char* name : kSessions) {
    CAPTURE(std::string(name));
    History history = history_of(recorded_session(name));
    history.append({Role::user, {TextBlock{"and now?"}}});
    const context::View before = history.view();
    history.append({Role::assistant, {ToolUseBlock{"one_more", "Read", Json::object()}}});
    history.append({Role::user, {ToolResultBlock{"one_more", {TextBlock{"a file"}}}}});
    const context::View& after = history.view();
    REQUIRE(after.size() == before.size() + 2);
    CHECK(context::first_difference(before, after) == before.size());
  }
}

TEST_CASE("recorded sessions: a compaction anywhere keeps calls and results together" *
          doctest::skip(!recordings_present(kFolder))) {
  for (const char* name : kSessions) {
    CAPTURE(std::string(name));
    const History whole = history_of(recorded_session(name));
    CHECK(paired_calls(whole.view()) >= 390);
    const std::size_t size = whole.view().size();
    for (std::size_t at = 0; at <= size; ++at) {
      const std::size_t cut = context::safe_cut(whole.view(), at);
      CHECK(cut <= at);
      if (cut < size) CHECK(ids_of_results(*whole.view()[cut]).empty());
      if (at % 25 != 0) continue;
      History compacted = whole;
      CHECK(compacted.compact({TextBlock{"what was done"}}, at));
      CHECK(compacted.log().size() == whole.log().size());
      paired_calls(compacted.view());
    }
    History cleared = whole;
    CHECK(cleared.clear_old_outputs() > 0);
    CHECK(paired_calls(cleared.view()) == paired_calls(whole.view()));
  }
}

TEST_CASE("recorded sessions: the loop makes room for one more prompt" *
          doctest::skip(!recordings_present(kFolder))) {
  for (const char* name : kSessions) {
    CAPTURE(std::string(name));
    const auto messages = recorded_session(name);
    for (const StreamApi api : {StreamApi::messages, StreamApi::chat}) {
      check_compaction_by_the_loop(messages, api, 40'000);
    }
  }
}
