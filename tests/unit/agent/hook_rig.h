// HookRig: an AgentRig whose hooks are real commands in a directory of their own. No process is
// left at its end. One at a time: two io threads would reap each other's children.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hooks/hook_set.h"
#include "platform/io.h"
#include "support/agent_rig.h"
#include "unit/platform/scratch.h"

namespace agentd::test {

class IoCommands final : public platform::Commands {
 public:
  explicit IoCommands(platform::Io& io) : io_(io) {}
  Result<platform::CommandEnd> run(platform::CommandSpec spec, std::stop_token stop) override {
    return io_.commands().run(std::move(spec), std::move(stop));
  }
  void end_session(const std::string& session) override { io_.commands().end_session(session); }

 private:
  platform::Io& io_;
};

class HookRig {
 public:
  HookRig() {
    rig->commands = std::make_unique<IoCommands>(*io);
    rig->conversation.cwd = scratch.path();
    rig->conversation.workspace = scratch.path();
  }
  HookRig(const HookRig&) = delete;
  HookRig& operator=(const HookRig&) = delete;
  ~HookRig() {
    rig.reset();
    io.reset();
    CHECK(platform::test::no_children());
  }

  void add(hooks::Event event, const std::string& command,
           std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    hooks::Hook hook;
    hook.event = event;
    hook.command = command;
    hook.timeout = timeout;
    hook.origin = "/settings.json";
    set.hooks.push_back(std::move(hook));
  }

  void start(const std::string& prompt = "do it") {
    rig->options.hooks = std::make_shared<const hooks::HookSet>(set);
    rig->start(prompt);
  }
  agent::RunEnded run(const std::string& prompt = "do it") {
    start(prompt);
    return rig->wait_end();
  }

  /// A tool that says what it was given.
  StandInTool& add_echo(const std::string& name, bool is_safe = false) {
    return rig->add_tool(name, is_safe, [](const Json& input, const tools::CallContext&) {
      return tools::text_outcome("ran with " + input.dump());
    });
  }

  /// The mind: one reply after the other, the last again and again.
  void replies(std::vector<model::ModelEvents> list) {
    rig->provider->mind = [list = std::move(list)](const auto&, std::size_t index) {
      return list[std::min(index, list.size() - 1)];
    };
  }

  /// Of the hooks that ran: `Stop blocked`.
  std::vector<std::string> outcomes() const {
    std::vector<std::string> list;
    for (const auto& ran : rig->sink().all<agent::HookRan>()) {
      list.push_back(std::string(hooks::to_string(ran.record.event)) + " " +
                     outcome_name(ran.record.outcome));
    }
    return list;
  }

  /// The command of a hook that says that it is there and then hangs.
  std::string hanging() const {
    REQUIRE(::mkfifo((scratch / "begun").c_str(), 0600) == 0);
    return "echo begun >begun; sleep 1000 & sleep 1000";
  }
  /// Returns when it is there.
  void wait_begun() const { CHECK(platform::test::get(scratch / "begun") == "begun\n"); }

  platform::test::Scratch scratch;
  std::unique_ptr<platform::Io> io = std::make_unique<platform::Io>();
  std::unique_ptr<AgentRig> rig = std::make_unique<AgentRig>();
  hooks::HookSet set;

 private:
  static std::string outcome_name(hooks::HookOutcome outcome) {
    switch (outcome) {
      case hooks::HookOutcome::success:
        return "success";
      case hooks::HookOutcome::blocked:
        return "blocked";
      case hooks::HookOutcome::broken:
        return "broken";
      case hooks::HookOutcome::cancelled:
        return "cancelled";
    }
    return "";
  }
};

/// The command of a hook that answers `event` with `members` of its hookSpecificOutput.
inline std::string answering(hooks::Event event, const std::string& members) {
  return R"(echo '{"hookSpecificOutput": {"hookEventName": ")" +
         std::string(hooks::to_string(event)) + "\", " + members + "}}'";
}

/// The texts of a message and of its results.
inline std::string text_of(const Message& message) {
  std::string text;
  for (const Block& block : message.blocks) {
    if (const auto* said = std::get_if<TextBlock>(&block)) text += said->text + "\n";
    if (const auto* result = std::get_if<ToolResultBlock>(&block)) text += text_of(result->content);
  }
  return text;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace agentd::test
