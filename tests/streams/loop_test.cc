// What the loop makes of each stream case: the case as the first reply of a real server, a plain
// answer to whatever is asked next. Tools are stand-ins with the cases' names and inputs. A case's
// advice to retry holds before a call has started; after that the loop goes on from the results.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "platform/http.h"
#include "support/agent_rig.h"
#include "support/anthropic_replies.h"
#include "support/chat_replies.h"
#include "support/model_server.h"
#include "support/stream_case.h"
#include "support/stream_rig.h"
#include "support/strict_api.h"
#include "support/strict_chat_api.h"

using namespace agentd;
using namespace agentd::test;

namespace {

// The end of a run after a case: an answer that asks for nothing.
ServerReply done(StreamApi api) {
  switch (api) {
    case StreamApi::messages:
      return ServerReply::stream(AnthropicReply().text("done").stop("end_turn").str());
    case StreamApi::chat:
      return ServerReply::stream(ChatReply().text("done").str());
  }
  return {};
}

std::optional<std::string> refusal(StreamApi api, const SeenRequest& request) {
  switch (api) {
    case StreamApi::messages:
      return StrictApi().refusal(request.body);
    case StreamApi::chat:
      return StrictChatApi().refusal(request.body);
  }
  return {};
}

// One case played to the run's end.
class Played {
 public:
  Played(const StreamCase& one, agent::ToolStart start) : one_(one), api_(api_of(one)) {
    rig_.options.tool_start = start;
    rig_.options.model.provider =
        provider_for(api_, server_.url(), one.think_tags, rig_.clock, *http_);
    for (const auto& [name, needed] :
         std::map<std::string, std::vector<std::string>>{{"Read", {"path"}},
                                                         {"Grep", {"pattern"}},
                                                         {"ListTodos", {}},
                                                         {"read_file", {"path"}},
                                                         {"glob", {"pattern"}},
                                                         {"list_todos", {}}}) {
      rig_.add_tool(name, true, record(name)).required = needed;
    }
    for (const char* name : {"Write", "Bash", "write_file", "delete"}) {
      rig_.add_tool(name, false, record(name));
    }
    server_.add(reply_for(one));
    server_.set_handler([api = api_](const SeenRequest&) { return done(api); });
    rig_.start();
    let_time_pass();
    end_ = rig_.wait_end();
  }

  void check() {
    CAPTURE(one_.name);
    const auto advice = one_.expect.at("loop").get<std::string>();
    check_calls();
    if (advice == "finish") check_finished();
    if (advice == "run_tools") check_ran();
    if (advice == "retry_safe") check_retried(false);
    if (advice == "retry_after_discard") check_broke();
    if (advice == "recover_output_limit") check_resumed();
    if (advice == "fail") check_failed();
    for (const auto& request : server_.requests()) {
      const auto said = refusal(api_, request);
      CHECK_MESSAGE(!said, one_.name << ": " << said.value_or(""));
    }
  }

 private:
  StandInTool::Body record(const std::string& name) {
    return [this, name](const Json& input, const tools::CallContext&) {
      std::lock_guard lock(mutex_);
      ran_.push_back(name + " " + input.dump());
      return tools::text_outcome("fine");
    };
  }

  // A wait before a retry is over as soon as it begins; a silent stream runs out of its time, but
  // not before what it said has come.
  void let_time_pass() {
    const auto seen = [this](auto kind) { return rig_.sink().all<decltype(kind)>().size(); };
    std::size_t waited_for = 0;
    while (seen(agent::RunEnded{}) == 0) {
      if (seen(agent::Retrying{}) > waited_for && rig_.clock.wait_pending(1)) {
        ++waited_for;
        rig_.clock.advance(std::chrono::seconds(60));
      } else if (one_.end == "stall" && server_.requests().size() == 1 &&
                 seen(agent::TextDelta{}) + seen(agent::ThinkingDelta{}) + seen(agent::ToolUse{}) >
                     0) {
        rig_.clock.advance(std::chrono::seconds(1));
      }
      std::this_thread::yield();
    }
  }

  void check_calls() {
    std::vector<std::string> may_run;
    for (const auto& block : one_.expect.at("blocks")) {
      if (block.at("type") != "tool_use" || block.at("state") != "complete") continue;
      may_run.push_back(block.at("name").get<std::string>() + " " + block.at("input").dump());
    }
    for (const auto& ran : ran_) {
      const auto found = std::find(may_run.begin(), may_run.end(), ran);
      CHECK_MESSAGE(found != may_run.end(), one_.name << " ran: " << ran);
      if (found != may_run.end()) may_run.erase(found);
    }
  }

  void check_finished() {
    const bool refused = one_.expect.at("stop") == "refusal";
    CHECK(end_.ending == (refused ? agent::Ending::refused : agent::Ending::completed));
    CHECK(server_.requests().size() == 1);
  }

  void check_ran() {
    CHECK(end_.ending == agent::Ending::completed);
    CHECK(server_.requests().size() == 2);
    CHECK(ran_.size() == complete_calls());
  }

  void check_retried(bool discarded) {
    CHECK(end_.ending == agent::Ending::completed);
    CHECK(end_.turns == 1);
    CHECK(server_.requests().size() == 2);
    CHECK(rig_.sink().all<agent::Retrying>().size() == 1);
    CHECK(rig_.sink().all<agent::ReplyDiscarded>().size() == (discarded ? 1 : 0));
  }

  void check_broke() {
    if (ran_.empty()) return check_retried(true);
    CHECK(end_.ending == agent::Ending::completed);
    CHECK(rig_.sink().all<agent::Retrying>().empty());
    CHECK(rig_.sink().all<agent::TurnStarted>().back().transition == agent::Transition::reply_cut);
  }

  void check_resumed() {
    CHECK(end_.ending == agent::Ending::completed);
    const auto expected =
        ran_.empty() ? agent::Transition::output_limit_raised : agent::Transition::output_resumed;
    CHECK(rig_.sink().all<agent::TurnStarted>().back().transition == expected);
  }

  void check_failed() {
    CHECK(end_.ending == agent::Ending::model_error);
    CHECK(server_.requests().size() == 1);
    CHECK_FALSE(end_.message.empty());
  }

  std::size_t complete_calls() const {
    const auto& blocks = one_.expect.at("blocks");
    return static_cast<std::size_t>(
        std::count_if(blocks.begin(), blocks.end(), [](const Json& block) {
          return block.at("type") == "tool_use" && block.at("state") == "complete";
        }));
  }

  const StreamCase& one_;
  StreamApi api_;
  std::mutex mutex_;
  std::vector<std::string> ran_;
  std::unique_ptr<platform::Http> http_ = platform::make_curl_http();
  ModelServer server_;
  AgentRig rig_;
  agent::RunEnded end_;
};

}  // namespace

TEST_CASE("the loop on each stream case") {
  const auto cases = load_stream_cases(std::string(AGENTD_SOURCE_DIR) + "/tests/streams/cases", "");
  REQUIRE_FALSE(cases.empty());
  for (const StreamCase& one : cases) {
    for (const auto start : {agent::ToolStart::streaming, agent::ToolStart::after_reply}) {
      Played(one, start).check();
    }
  }
}
