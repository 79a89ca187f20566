// Subject: a program under measurement, agentd or the floor, spoken to over pipes as an editor
// does. Both understand `initialize` and `agent/start`; the rest is agentd's alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "bench/endpoint.h"
#include "support/agent_process.h"

namespace agentd::bench {

enum class Kind { floor, agentd };

/// Where and on what a subject works.
struct Rig {
  Kind kind = Kind::floor;
  std::string binary;
  std::string workspace;  // 1000 files of 1056 bytes in a git repository
  std::string home;
  Endpoint& endpoint;
  std::string temporary = {};  // TMPDIR; empty: as it is here
  std::string model = {};      // empty: the one that nobody asked for
  bool stored = false;         // agentd keeps its sessions

  std::string file(std::size_t index) const;  // path of one of the 1000 files
};

class Subject {
 public:
  /// Starts it and waits until initialize is answered.
  explicit Subject(const Rig& rig);

  /// Asks for a run; it goes on in the session of the one before. Returns when it was sent.
  TimePoint start(std::string_view prompt = "go");
  /// Reads until the run has ended. Each notification's text is shown to `frame`, if given.
  void finish(const std::function<void(std::string_view)>& frame = nullptr);
  /// Asks for the run's end; returns when that was sent.
  TimePoint cancel();
  void read_reply();  // the answer to cancel, after the run's end
  /// Any other request; ms until it is answered.
  double ask(const std::string& method, nlohmann::json params);

  double start_up_ms() const { return start_up_ms_; }
  pid_t pid() const { return process_.pid(); }

 private:
  Kind kind_;
  TimePoint begun_;  // before the process was there
  testing::AgentProcess process_;
  std::string cwd_;
  std::string model_;
  std::string session_id_;
  int starts_ = 0;
  double start_up_ms_ = 0;
};

double milliseconds(Steady::duration duration);

}  // namespace agentd::bench
