// The same random model against the real binary: real pipes, real HTTP with a server of both APIs
// that refuses what they would refuse, real files, processes and hooks. Every message is held to
// the published schema and to the promises of order and closure. At times the process is killed in
// the middle of a run, and another one goes on with the session. One run here for twenty in the
// loop's test.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "property/anthropic_stream.h"
#include "property/chat_stream.h"
#include "property/hook_programs.h"
#include "property/random_mind.h"
#include "support/agent_process.h"
#include "support/model_server.h"
#include "support/strict_api.h"
#include "support/strict_chat_api.h"
#include "transcripts/contract.h"

using namespace agentd;
using agentd::test::RandomMind;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr int kInternalError = -32603;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Workspace {
  Workspace() {
    std::string name = (fs::temp_directory_path() / "agentd-property-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = name;
    fs::create_directories(root + "/home/.config/agentd");
    fs::create_directories(root + "/ws");
    std::ofstream(root + "/ws/a.txt") << "one\ntwo\nthree\n";
  }
  ~Workspace() { fs::remove_all(root); }
  void settings(const transcripts::Json& hooks) const {
    std::ofstream(root + "/home/.config/agentd/settings.json") << transcripts::Json{
        {"retry", {{"attempts", 3}, {"delayMs", 1}, {"maxDelayMs", 2}}}, {"hooks", hooks}};
  }
  std::string root;
};

constexpr const char* kQuestion =
    R"({"questions":[{"question":"Which?","header":"Which","options":[)"
    R"({"label":"this","description":"a"},{"label":"that","description":"b"}]}]})";

std::vector<std::pair<std::string, std::string>> real_menu() {
  return {{"Read", R"({"file_path":"a.txt"})"},
          {"Read", R"({"file_path":"a.txt"})"},
          {"Read", R"({"file_path":"/etc/hostname"})"},
          {"Read", R"({"file_path":"missing"})"},
          {"Edit", R"({"file_path":"a.txt","old_string":"two","new_string":"2"})"},
          {"Edit", R"({"file_path":"a.txt","old_string":"2","new_string":"two"})"},
          {"Write", R"({"file_path":"b.txt","content":"new\n"})"},
          {"Write", R"({"file_path":"b.txt"})"},
          {"Grep", R"({"pattern":"t"})"},
          {"Grep", R"({"pattern":"("})"},
          {"Glob", R"({"pattern":"*.txt"})"},
          {"Bash", R"({"command":"echo hi; echo err >&2"})"},
          {"Bash", R"({"command":"exit 3"})"},
          {"Bash", R"({"command":"sleep 60","timeout":40})"},
          {"Bash", R"({"command":"sleep 60 & echo started"})"},
          {"TodoWrite", R"({"todos":[{"content":"x","status":"pending","activeForm":"xing"}]})"},
          {"AskUserQuestion", kQuestion},
          {"AskUserQuestion", kQuestion},
          {"ExitPlanMode", R"({"plan":"do it"})"},
          {"Nothing", "{}"},
          {"Bash", ""}};
}

// Processes that work in `directory`, by their command lines: what agentd left behind.
std::string left_behind(const std::string& directory) {
  std::string names;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code none;
    if (fs::read_symlink(entry.path() / "cwd", none) != directory) continue;
    std::ifstream command(entry.path() / "cmdline");
    names += std::string((std::istreambuf_iterator<char>(command)), {}) + "; ";
  }
  return names;
}

// What the runs have met, by name.
using Met = std::map<std::string, int>;

class ProcessRuns {
 public:
  ProcessRuns(std::uint64_t seed, Met& met)
      : seed_(seed),
        met_(met),
        mood_(seed * 31 + 5),
        mind_(seed * 17 + 3),
        contract_(AGENTD_SOURCE_DIR "/protocol") {
    mind_.menu = real_menu();
    server_.set_handler([this](const test::SeenRequest& request) { return answer(request); });
  }

  void go(int runs) {
    INFO("seed ", seed_);
    space_.settings(mood_.one_in(3) ? transcripts::Json::object()
                                    : test::random_hook_settings(mood_));
    start_process();
    for (int i = 0; i < runs; ++i) {
      one_run(i);
      if (killed_) come_back();
    }
    request("shutdown", nullptr);
    pump([&] { return replies_ == requests_; });
    agent_->send({{"jsonrpc", "2.0"}, {"method", "exit"}});
    while (agent_->receive(kPatience)) {
    }
    CHECK_MESSAGE(agent_->wait(kPatience) == 0, "seed " << seed_);
    if (!ever_killed_) {
      CHECK_MESSAGE(left_behind(fs::canonical(space_.root + "/ws").string()).empty(),
                    "seed " << seed_ << ": processes left");
    }
    watch_->ended();
    for (const auto& refusal : refusals_) FAIL_CHECK("seed " << seed_ << ": " << refusal);
  }

 private:
  void start_process() {
    agent_ = std::make_unique<testing::AgentProcess>(testing::AgentProcessOptions{
        .argv = {AGENTD_BINARY},
        .cwd = space_.root + "/ws",
        .home = space_.root + "/home",
        .environment = {{"ANTHROPIC_API_KEY", "sk-test"},
                        {"ANTHROPIC_BASE_URL", server_.url()},
                        {"OPENAI_API_KEY", "sk-test"},
                        {"OPENAI_BASE_URL", server_.url() + "/v1"}},
        .framing = mood_.one_in(2) ? testing::Framing::lines : testing::Framing::content_length});
    watch_ = std::make_unique<transcripts::Watch>(contract_);
    requests_ = replies_ = 0;
    request("initialize",
            {{"protocolVersion", 1},
             {"clientInfo", {{"name", "property"}, {"version", "1"}}},
             {"processId", nullptr},
             {"capabilities", {{"approvals", !mood_.one_in(4)}, {"questions", !mood_.one_in(4)}}}});
    pump([&] { return replies_ == requests_; });
  }

  // kill -9: what was on its way to us is lost.
  void kill_process() {
    agent_->signal(SIGKILL);
    agent_->wait(kPatience);
    killed_ = ever_killed_ = true;
    meet("killed");
  }

  // Another process is told of the session, closed whatever was open, and is to go on with it.
  void come_back() {
    killed_ = false;
    start_process();
    if (session_.empty() || !mood_.one_in(2)) return;
    loaded_.clear();
    request("session/load", {{"sessionId", session_}});
    pump([&] { return replies_ == requests_; });
    CHECK_MESSAGE(loaded_runs_open_ == 0, "seed " << seed_ << ": a replay leaves a run open");
    for (const auto& run : ended_runs_[session_]) {
      CHECK_MESSAGE(loaded_.count(run) == 1, "seed " << seed_ << ": " << run << " is lost");
    }
    meet("loaded after a kill");
  }

  test::ServerReply answer(const test::SeenRequest& request) {
    std::lock_guard lock(mutex_);
    const bool chat = request.path.ends_with("/chat/completions");
    ++met_[chat ? "request chat" : "request messages"];
    auto refusal = chat ? strict_chat_.refusal(request.body) : strict_.refusal(request.body);
    // A paused turn is sent back as it is: there the API takes the assistant's message last.
    if (paused_ && refusal && refusal->find("prefill") != std::string::npos) refusal.reset();
    if (refusal) {
      refusals_.push_back(*refusal);
      return test::ServerReply::json(
          400, R"({"type":"error","error":{"type":"invalid_request_error","message":"refused"}})");
    }
    const auto events = mind_.reply(++answered_);
    paused_ = std::any_of(events.begin(), events.end(), [](const model::ModelEvent& event) {
      const auto* told = std::get_if<model::StopTold>(&event);
      return told != nullptr && told->reason == model::StopReason::pause_turn;
    });
    auto reply = chat ? test::chat_stream(events) : test::anthropic_stream(events);
    if (mind_.one_in(3)) reply.random_cuts(static_cast<std::uint32_t>(seed_ + answered_));
    return reply;
  }

  void one_run(int number) {
    static constexpr const char* kModes[] = {"ask", "acceptEdits", "plan", "bypass"};
    run_id_ = "run" + std::to_string(number);
    ended_ = false;
    const int kill_at = mood_.one_in(4) ? mood_.below(40) : -1;
    cancel_at_ = mood_.one_in(3) ? mood_.below(30) : -1;
    transcripts::Json params = {{"prompt", "go"},
                                {"runId", run_id_},
                                {"model", mood_.one_in(2) ? "anthropic/mind" : "openai-chat/mind"},
                                {"permissionMode", kModes[mood_.below(4)]},
                                {"maxTurns", 1 + mood_.below(8)},
                                {"toolStart", mood_.one_in(2) ? "streaming" : "afterReply"}};
    const bool goes_on = !session_.empty() && (ever_killed_ || mood_.one_in(2));
    if (goes_on) params["sessionId"] = session_;
    if (goes_on && ever_killed_) meet("went on after a kill");
    request("agent/start", std::move(params));
    int seen = 0;
    pump([&] {
      if (seen == kill_at) kill_process();
      if (killed_) return true;
      if (seen++ == cancel_at_) request("agent/cancel", {{"runId", run_id_}});
      if (!ended_ && mood_.one_in(25)) say_something();
      return ended_ && replies_ == requests_;
    });
  }

  void say_something() {
    request("agent/send", {{"runId", run_id_},
                           {"prompt", "listen"},
                           {"delivery", mood_.one_in(2) ? "steer" : "queue"}});
  }

  void request(const char* method, transcripts::Json params) {
    transcripts::Json message = {{"jsonrpc", "2.0"}, {"id", requests_++}, {"method", method}};
    if (!params.is_null()) message["params"] = std::move(params);
    watch_->sent(message);
    agent_->send(message);
  }

  void meet(const std::string& name) {
    std::lock_guard lock(mutex_);
    ++met_[name];
  }

  template <class Done>
  void pump(Done done) {
    while (!done()) {
      const auto message = agent_->receive(kPatience);
      REQUIRE_MESSAGE(message.has_value(),
                      "seed " << seed_ << ": agentd is gone: " << agent_->standard_error());
      watch_->received(*message);
      take(*message);
    }
  }

  void take(const transcripts::Json& message) {
    if (message.contains("id")) {
      ++replies_;
      // What another process had of the session must be at hand for this one.
      if (message.contains("error") && message["error"].value("code", 0) == kInternalError) {
        FAIL_CHECK("seed " << seed_ << ": " << message.dump());
      }
      if (message.contains("result") && message["result"].is_object() &&
          message["result"].contains("sessionId")) {
        session_ = message["result"]["sessionId"].get<std::string>();
      }
      return;
    }
    const std::string method = message["method"].get<std::string>();
    if (message["params"].value("replay", false)) {
      if (method == "agent/runStarted") {
        ++loaded_runs_open_;
        loaded_.insert(message["params"]["runId"].get<std::string>());
      }
      if (method == "agent/runEnded") --loaded_runs_open_;
      return;
    }
    if (method == "agent/runEnded") {
      ended_ = true;
      ended_runs_[session_].insert(run_id_);
      meet("ending " + message["params"]["ending"].get<std::string>());
    }
    if (method == "agent/hook") meet("hook " + message["params"]["outcome"].get<std::string>());
    if (method == "agent/approvalRequested") {
      if (mood_.one_in(6)) return request("agent/cancel", {{"runId", run_id_}});
      request("agent/approveTool", {{"runId", run_id_},
                                    {"toolUseId", message["params"]["toolUseId"]},
                                    {"decision", mood_.one_in(3) ? "deny" : "allow"},
                                    {"scope", mood_.one_in(3) ? "session" : "once"}});
    }
    if (method == "agent/questionAsked") answer_question(message["params"]["toolUseId"]);
  }

  void answer_question(const transcripts::Json& call) {
    if (mood_.one_in(6)) return request("agent/cancel", {{"runId", run_id_}});
    transcripts::Json params = {{"runId", run_id_}, {"toolUseId", call}};
    if (mood_.one_in(3)) {
      params["rejected"] = true;
    } else if (mood_.one_in(3)) {
      params["answers"] = {{{"text", "something else"}}};
    } else {
      params["answers"] = {{{"labels", {"that"}}}};
    }
    request("agent/answerQuestion", std::move(params));
  }

  std::uint64_t seed_;
  Met& met_;
  RandomMind mood_;
  Workspace space_;
  std::mutex mutex_;  // the server's threads and ours: mind, strictness, refusals, what was met
  RandomMind mind_;
  test::StrictApi strict_;
  test::StrictChatApi strict_chat_;
  std::vector<std::string> refusals_;
  std::uint32_t answered_ = 0;
  bool paused_ = false;  // the last reply stopped with pause_turn
  test::ModelServer server_;
  transcripts::Contract contract_;
  std::unique_ptr<transcripts::Watch> watch_;  // of the process that lives
  std::unique_ptr<testing::AgentProcess> agent_;
  bool killed_ = false;       // and no other one begun
  bool ever_killed_ = false;  // what its commands left behind is nobody's
  std::map<std::string, std::set<std::string>> ended_runs_;  // of each session
  std::set<std::string> loaded_;                             // runs that a replay told of
  int loaded_runs_open_ = 0;
  std::string run_id_;
  std::string session_;
  bool ended_ = false;
  int cancel_at_ = -1;
  int requests_ = 0;
  int replies_ = 0;
};

}  // namespace

TEST_CASE("whatever happens, the binary keeps its promises") {
  const auto runs = (number_from("AGENTD_PROPERTY_RUNS", 300) + 19) / 20;
  const auto seed = number_from("AGENTD_PROPERTY_SEED", 1);
  constexpr std::uint64_t kRunsPerProcess = 5;
  Met met;
  for (std::uint64_t done = 0; done < runs; done += kRunsPerProcess) {
    ProcessRuns(seed + done, met).go(static_cast<int>(std::min(kRunsPerProcess, runs - done)));
  }
  if (runs < 100) return;  // too few to meet each of them
  for (const char* name :
       {"request messages", "request chat", "ending completed", "ending aborted_tools",
        "ending model_error", "ending hook_stopped", "hook success", "hook blocked", "hook broken",
        "killed", "loaded after a kill", "went on after a kill"}) {
    CAPTURE(std::string(name));
    CHECK(met[name] > 0);
  }
  for (const auto& [name, count] : met) MESSAGE(name << " " << count);
}
