#include "support/agent_rig.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace agentd::test {
namespace {

constexpr std::chrono::seconds kPatience{20};

class NoCache final : public model::EncoderCache {};

class NoCommands final : public platform::Commands {
 public:
  Result<platform::CommandEnd> run(platform::CommandSpec, std::stop_token) override {
    return make_error(Code::unavailable, "no commands in this test");
  }
  void end_session(const std::string&) override {}
};

class FakeStream final : public model::ModelStream {
 public:
  FakeStream(std::mutex& mutex, std::shared_ptr<FakeProvider::Request> request)
      : mutex_(mutex), request_(std::move(request)) {}
  ~FakeStream() override {
    std::lock_guard lock(mutex_);
    request_->gone = true;
    request_->on_events = nullptr;
  }
  void pause() override {}
  void resume() override {}

 private:
  std::mutex& mutex_;
  std::shared_ptr<FakeProvider::Request> request_;
};

}  // namespace

std::unique_ptr<model::EncoderCache> FakeProvider::make_cache() const {
  return std::make_unique<NoCache>();
}

std::unique_ptr<model::ModelStream> FakeProvider::send(const model::ModelRequest& request,
                                                       model::EncoderCache&,
                                                       model::OnModelEvents on_events) {
  std::unique_lock lock(mutex_);
  const std::size_t index = requests_.size();
  requests_.push_back(std::make_shared<Request>(Request{request, on_events, false}));
  auto stream = std::make_unique<FakeStream>(mutex_, requests_.back());
  arrived_.notify_all();
  lock.unlock();
  if (mind) on_events(mind(request, index));
  return stream;
}

void FakeProvider::wait_requests(std::size_t count) {
  std::unique_lock lock(mutex_);
  const bool came = arrived_.wait_for(lock, kPatience, [&] { return requests_.size() >= count; });
  REQUIRE_MESSAGE(came, "expected " << count << " requests, saw " << requests_.size());
}

bool FakeProvider::wait_request(std::size_t index, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  return arrived_.wait(lock, stop, [&] { return requests_.size() > index; });
}

std::size_t FakeProvider::requests() const {
  std::lock_guard lock(mutex_);
  return requests_.size();
}

model::ModelRequest FakeProvider::request(std::size_t index) const {
  std::lock_guard lock(mutex_);
  return requests_.at(index)->request;
}

void FakeProvider::reply(std::size_t index, model::ModelEvents events) {
  wait_requests(index + 1);
  std::lock_guard lock(mutex_);
  const auto& request = requests_.at(index);
  if (request->on_events) request->on_events(std::move(events));
}

bool FakeProvider::gone(std::size_t index) const {
  std::lock_guard lock(mutex_);
  return requests_.at(index)->gone;
}

void RecordingSink::emit(agent::Event event) {
  if (first != nullptr) first->emit(event);
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  arrived_.notify_all();
}

std::vector<agent::Event> RecordingSink::events() const {
  std::lock_guard lock(mutex_);
  return events_;
}

agent::Event RecordingSink::wait(const Match& match, const char* what, std::size_t count) {
  std::unique_lock lock(mutex_);
  std::size_t seen = 0;
  std::size_t next = 0;  // the first that was not looked at
  const bool came = arrived_.wait_for(lock, kPatience, [&] {
    while (seen < count && next < events_.size()) seen += match(events_[next++]) ? 1U : 0U;
    return seen == count;
  });
  REQUIRE_MESSAGE(came, "expected event: " << what << ", seen " << seen << " of " << count);
  return events_[next - 1];
}

std::size_t RecordingSink::count(const Match& match) const {
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), match));
}

std::optional<agent::Event> RecordingSink::wait_event(std::size_t index, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait(lock, stop, [&] { return events_.size() > index; })) return std::nullopt;
  return events_[index];
}

StandInTool::StandInTool(std::string name, bool is_safe, Body body)
    : safe_(is_safe), body_(std::move(body)) {
  definition_.name = std::move(name);
  definition_.description = "stand-in";
  definition_.input_schema = Json{{"type", "object"}};
}

Result<Json> StandInTool::coerce(const Json& input) const {
  for (const auto& name : required) {
    if (!input.contains(name)) return make_error(Code::invalid_input, name + " is missing");
  }
  if (!forbidden.empty() && input.contains(forbidden)) {
    return make_error(Code::invalid_input, forbidden + " is not allowed");
  }
  return input;
}

// `path` is written by an unsafe tool and read by a safe one; `command` is a command.
Access StandInTool::access(const Json& input, const std::string& cwd) const {
  Access access;
  access.leaves_plan_mode = leaves_plan_mode;
  if (input.contains("path")) {
    const std::string path = cwd + "/" + input["path"].get<std::string>();
    (safe_ ? access.reads : access.writes).push_back(path);
  }
  if (input.contains("command")) access.command = input["command"].get<std::string>();
  return access;
}

tools::Outcome StandInTool::run(const Json& input, const tools::CallContext& context) const {
  return body_(input, context);
}

void Barrier::open() {
  {
    std::lock_guard lock(mutex_);
    open_ = true;
  }
  opened_.notify_all();
}

bool Barrier::wait(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  return opened_.wait(lock, stop, [this] { return open_; });
}

AgentRig::AgentRig() : files(platform::make_disk_files()), commands(new NoCommands) {
  const auto here = std::filesystem::canonical(std::filesystem::temp_directory_path()).string();
  conversation.cwd = here;
  conversation.workspace = here;
  conversation.mode = permission::Mode::bypass;
  options.run_id = "r1";
  options.session_id = "s1";
  options.system_prompt = "system";
  options.model = {.name = "test/mind",
                   .provider_name = "test",
                   .model = "mind",
                   .facts = {},
                   .provider = provider,
                   .output_limits = nullptr};
}

AgentRig::~AgentRig() {
  if (run) run->cancel([](agent::Ending) {});
}

StandInTool& AgentRig::add_tool(std::string name, bool is_safe, StandInTool::Body body) {
  auto tool = std::make_unique<StandInTool>(std::move(name), is_safe, std::move(body));
  auto& added = *tool;
  tools.add(std::move(tool));
  return added;
}

void AgentRig::start(const std::string& prompt) {
  start(std::vector<Block>{TextBlock{prompt}});
}

void AgentRig::start(std::vector<Block> prompt) {
  options.prompt = std::move(prompt);
  Clock& used = real_clock != nullptr ? *real_clock : clock;
  const agent::Services services{used, ids, *files, *commands, tools};
  run = std::make_unique<agent::Run>(options, std::move(conversation), services, sink(), gate,
                                     [this](agent::Conversation c) {
                                       // Notified under the lock: the rig may go right after.
                                       std::lock_guard lock(mutex_);
                                       back_ = std::move(c);
                                       returned_.notify_all();
                                     });
}

agent::RunEnded AgentRig::wait_end() {
  {
    std::unique_lock lock(mutex_);
    const bool came = returned_.wait_for(lock, kPatience, [this] { return back_.has_value(); });
    REQUIRE_MESSAGE(came, "the run did not end");
    conversation = std::move(*back_);
    back_.reset();
  }
  run.reset();
  const auto ends = sink().all<agent::RunEnded>();
  REQUIRE(!ends.empty());
  return ends.back();
}

void AgentRig::cancel() {
  run->cancel([](agent::Ending) {});
}

ReplyBuilder& ReplyBuilder::text(const std::string& text) {
  events.emplace_back(model::BlockBegan{next, model::BlockKind::text, {}, {}});
  events.emplace_back(model::Delta{next, model::DeltaKind::text, text});
  events.emplace_back(model::BlockEnded{next, std::nullopt, {}});
  ++next;
  return *this;
}

ReplyBuilder& ReplyBuilder::thinking(const std::string& text,
                                     std::optional<std::string> signature) {
  events.emplace_back(model::BlockBegan{next, model::BlockKind::thinking, {}, {}});
  events.emplace_back(model::Delta{next, model::DeltaKind::thinking, text});
  events.emplace_back(model::BlockEnded{next, std::move(signature), {}});
  ++next;
  return *this;
}

ReplyBuilder& ReplyBuilder::call(const std::string& id, const std::string& name,
                                 const std::string& input) {
  open_call(id, name, input);
  events.emplace_back(model::BlockEnded{next - 1, std::nullopt, {}});
  return *this;
}

ReplyBuilder& ReplyBuilder::open_call(const std::string& id, const std::string& name,
                                      const std::string& input) {
  events.emplace_back(model::BlockBegan{next, model::BlockKind::tool_use, id, name});
  if (!input.empty()) events.emplace_back(model::Delta{next, model::DeltaKind::input, input});
  ++next;
  return *this;
}

ReplyBuilder& ReplyBuilder::stop(model::StopReason reason) {
  events.emplace_back(model::StopTold{reason, std::string(model::to_string(reason)), {}});
  return *this;
}

ReplyBuilder& ReplyBuilder::fail(model::FailureClass failure_class) {
  model::ModelFailure failure;
  failure.failure_class = failure_class;
  failure.message = "failed: " + std::string(model::to_string(failure_class));
  events.emplace_back(model::Failed{failure});
  return *this;
}

model::ModelEvents ReplyBuilder::end() {
  events.emplace_back(model::MessageEnded{});
  return take();
}

model::ModelEvents ReplyBuilder::take() {
  return std::exchange(events, {});
}

}  // namespace agentd::test
