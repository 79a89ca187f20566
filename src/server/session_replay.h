// SessionReplay: what clients were told of a session, told again: each part becomes the
// notification it was, numbered anew in its run and marked `replay: true`. Reader thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "rpc/outbox.h"
#include "session/store.h"

namespace agentd::server {

class SessionReplay {
 public:
  /// `gate` closes while more of the replay is unsent than a client should be behind.
  SessionReplay(rpc::Outbox& outbox, std::string session_id, std::shared_ptr<FlowGate> gate)
      : session_id_(std::move(session_id)),
        channel_(outbox.open_run(session_id_, "", std::move(gate))) {}

  void tell(const session::Part& part);

 private:
  std::string session_id_;
  rpc::RunChannel channel_;  // for its gate alone: the parts are of many runs
  std::map<std::string, std::int64_t, std::less<>> told_;  // of each run
};

}  // namespace agentd::server
