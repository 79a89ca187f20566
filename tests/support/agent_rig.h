// AgentRig: one run with everything around it under the test's hand. The model's mind is the test
// (or a function of it), the clock is fake, tools are stand-ins; the loop, the executor and their
// threads are the real ones.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/run.h"
#include "support/fake_clock.h"

namespace agentd::test {

/// A provider whose replies the test gives, event by event.
class FakeProvider final : public model::Provider {
 public:
  struct Request {
    model::ModelRequest request;
    model::OnModelEvents on_events;
    bool gone = false;  // the stream was destroyed
  };

  std::unique_ptr<model::EncoderCache> make_cache() const override;
  std::unique_ptr<model::ModelStream> send(const model::ModelRequest& request,
                                           model::EncoderCache& cache,
                                           model::OnModelEvents on_events) override;

  /// Waits until `count` requests were made; fails the test after 20 s.
  void wait_requests(std::size_t count);
  /// Waits for request `index`; false if `stop` comes first.
  bool wait_request(std::size_t index, std::stop_token stop);
  std::size_t requests() const;
  model::ModelRequest request(std::size_t index) const;
  /// Delivers events to request `index` (as an endpoint would: dropped if it was cancelled).
  void reply(std::size_t index, model::ModelEvents events);
  bool gone(std::size_t index) const;

  /// If set, answers each request at once, on the caller's thread.
  std::function<model::ModelEvents(const model::ModelRequest&, std::size_t index)> mind;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::vector<std::shared_ptr<Request>> requests_;
};

/// Collects what a run emits.
class RecordingSink final : public agent::Sink {
 public:
  void emit(agent::Event event) override;
  std::vector<agent::Event> events() const;
  using Match = std::function<bool(const agent::Event&)>;
  /// Waits until `count` events satisfy `match`, and returns the last of these; fails the test
  /// after 20 s.
  agent::Event wait(const Match& match, const char* what, std::size_t count = 1);
  /// How many do by now.
  std::size_t count(const Match& match) const;
  /// Event number `index`, once it has come; nothing if `stop` comes first.
  std::optional<agent::Event> wait_event(std::size_t index, std::stop_token stop);

  agent::Sink* first = nullptr;  // told before anybody who waits here; set before the run

  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const auto& event : events()) {
      if (const auto* e = std::get_if<E>(&event)) found.push_back(*e);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::vector<agent::Event> events_;
};

/// A tool that does what the test says.
class StandInTool final : public tools::Tool {
 public:
  using Body = std::function<tools::Outcome(const Json&, const tools::CallContext&)>;

  StandInTool(std::string name, bool is_safe, Body body);

  const ToolDefinition& definition() const override { return definition_; }
  Result<Json> coerce(const Json& input) const override;
  bool safe(const Json&) const override { return safe_; }
  bool asks_user() const override { return !asks.empty(); }
  std::vector<Question> questions(const Json&) const override { return asks; }
  bool changes_mode() const override { return leaves_plan_mode; }
  Access access(const Json& input, const std::string& cwd) const override;
  tools::Outcome run(const Json& input, const tools::CallContext& context) const override;

  std::vector<std::string> required;  // members without which coerce fails
  std::string forbidden;              // the member with which it fails; empty: none
  std::vector<Question> asks;         // what it asks the user
  bool leaves_plan_mode = false;

 private:
  ToolDefinition definition_;
  bool safe_;
  Body body_;
};

/// Holds tools at a point until the test lets them go, or they are told to stop.
class Barrier {
 public:
  void open();
  /// True if it was opened, false if `stop` came first.
  bool wait(std::stop_token stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool open_ = false;
};

struct AgentRig {
  AgentRig();
  ~AgentRig();

  StandInTool& add_tool(std::string name, bool is_safe, StandInTool::Body body);

  /// Starts a run on the conversation; `options` was prepared with a provider, ids and limits.
  void start(const std::string& prompt = "do it");
  void start(std::vector<Block> prompt);
  /// Waits for RunEnded; the conversation is back.
  agent::RunEnded wait_end();
  void cancel();

  FakeClock clock;
  Clock* real_clock = nullptr;  // used instead of `clock` if set
  RandomIds ids;
  std::unique_ptr<platform::Files> files;
  std::unique_ptr<platform::Commands> commands;
  tools::Registry tools;
  std::shared_ptr<FakeProvider> provider = std::make_shared<FakeProvider>();
  std::unique_ptr<RecordingSink> sink_owner = std::make_unique<RecordingSink>();
  RecordingSink& sink() { return *sink_owner; }
  std::shared_ptr<FlowGate> gate = std::make_shared<FlowGate>();
  agent::RunOptions options;
  agent::Conversation conversation;
  std::unique_ptr<agent::Run> run;

 private:
  std::mutex mutex_;
  std::condition_variable returned_;
  std::optional<agent::Conversation> back_;
};

// Replies, as events.
struct ReplyBuilder {
  ReplyBuilder& text(const std::string& text);
  ReplyBuilder& thinking(const std::string& text, std::optional<std::string> signature);
  /// A closed tool_use block.
  ReplyBuilder& call(const std::string& id, const std::string& name, const std::string& input);
  /// The same without its end.
  ReplyBuilder& open_call(const std::string& id, const std::string& name, const std::string& input);
  ReplyBuilder& stop(model::StopReason reason);
  ReplyBuilder& fail(model::FailureClass failure_class);
  model::ModelEvents end();   // with MessageEnded
  model::ModelEvents take();  // as it is

  model::ModelEvents events;
  int next = 0;
};

}  // namespace agentd::test
