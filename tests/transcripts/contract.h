// The contract as a judge of real traffic: protocol/methods.json and schema.json for the shape of
// each message, and the promises of protocol/README.md for what follows what. Every transcript is
// held to both, whatever its own lines expect. Faults are thrown.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace agentd::transcripts {

using Json = nlohmann::json;

/// methods.json and schema.json of a directory.
class Contract {
 public:
  explicit Contract(const std::string& directory);
  ~Contract();

  bool knows(const std::string& method, const std::string& direction) const;
  /// `part` is params or result.
  void check(const std::string& method, const std::string& part, const Json& value) const;

 private:
  struct Schemas;
  std::unique_ptr<Schemas> schemas_;
  std::map<std::string, Json> methods_;
};

/// One connection under the contract's eyes.
class Watch {
 public:
  explicit Watch(const Contract& contract) : contract_(contract) {}

  void sent(const Json& message);
  void received(const Json& message);
  /// At the end of the output: every request answered, every run, call and question closed.
  void ended() const;

 private:
  struct Run {
    std::int64_t seq = 0;
    bool announced = false;  // agent/start was answered with it
    bool started = false;
    bool ended = false;
    std::map<std::string, std::string> calls;        // id -> started, ready, running, closed
    std::map<std::string, std::string> questions;    // id -> asked, resolved
    std::map<std::string, std::string> put_to_user;  // the same of agent/questionAsked
  };

  void reply(const Json& message);
  void notification(const std::string& method, const Json& params);
  Run& run_of(const Json& params);
  void session_over() const;
  void call_event(Run& run, const std::string& method, const Json& params);

  const Contract& contract_;
  std::map<std::string, Json> requests_;  // not answered yet, by their id as JSON text
  std::map<std::string, Run> runs_;
  std::map<std::string, Run> replayed_;  // as session/load told them last
};

}  // namespace agentd::transcripts
