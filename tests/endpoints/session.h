// What the tests of this folder share: a workspace and a home of their own, and one session with
// the real binary, driven from one thread.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "message/message.h"
#include "support/agent_process.h"

namespace agentd::test {

struct Workspace {
  Workspace() {
    std::string name =
        (std::filesystem::temp_directory_path() / "agentd-endpoints-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = std::filesystem::canonical(name);
    std::filesystem::create_directories(root / "work/.agentd");
    std::filesystem::create_directories(root / "home/.config/agentd");
  }
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name) << text;
  }
  std::filesystem::path root;
};

/// One session with the binary; each run is waited for.
class Session {
 public:
  Session(const Workspace& workspace, std::vector<std::pair<std::string, std::string>> environment)
      : agent_({.argv = {AGENTD_BINARY},
                .cwd = (workspace.root / "work").string(),
                .home = (workspace.root / "home").string(),
                .environment = std::move(environment),
                .framing = testing::Framing::lines}) {
    ask("initialize", {{"protocolVersion", 1},
                       {"clientInfo", {{"name", "test"}, {"version", "1"}}},
                       {"capabilities", Json::object()}});
  }

  Json ask(const std::string& method, const Json& params) {
    agent_.send({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
    while (true) {
      Json message = next();
      if (message.contains("id") && message["id"] == id_) return message;
    }
  }

  Json run(const std::string& model, const Json& prompt) {
    const Json started =
        ask("agent/start", {{"prompt", prompt}, {"model", model}, {"permissionMode", "bypass"}});
    CAPTURE(started.dump());
    REQUIRE(started.contains("result"));
    return wait_end();
  }

  /// The params of the next agent/runEnded.
  Json wait_end() {
    while (true) {
      Json message = next();
      if (message.value("method", "") == "agent/runEnded") return message["params"];
    }
  }

  std::vector<Json> seen(const std::string& method) const {
    std::vector<Json> found;
    for (const Json& message : seen_) {
      if (message.value("method", "") == method) found.push_back(message["params"]);
    }
    return found;
  }

 private:
  Json next() {
    auto message = agent_.receive(std::chrono::seconds(60));
    REQUIRE(message);
    seen_.push_back(*message);
    return *message;
  }

  testing::AgentProcess agent_;
  int id_ = 0;
  std::vector<Json> seen_;
};

}  // namespace agentd::test
