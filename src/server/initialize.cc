// initialize, initialized, shutdown, exit, $/setTrace: the life of a connection, as in LSP.
#include <algorithm>

#include "base/log.h"
#include "base/version.h"
#include "server/server.h"

namespace agentd::server {

void Server::bind_lifecycle() {
  bind(peer_, protocol::kInitialize,
       [this](auto params, auto answer) { initialize(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kShutdown, [this](auto, auto answer) { shutdown(std::move(answer)); });
  bind(peer_, protocol::kInitialized, [](auto) {});
  bind(peer_, protocol::kExit, [this](auto) { exit(); });
  bind(peer_, protocol::kSetTrace, [](auto) {});
}

// Which methods the phase does not allow; a notification that is refused is dropped.
std::optional<rpc::Refusal> Server::refuse(std::string_view method) const {
  if (method == protocol::kExit.name) return std::nullopt;
  switch (phase_) {
    case Phase::fresh:
      if (method == protocol::kInitialize.name) return std::nullopt;
      return rpc::Refusal{rpc::kServerNotInitialized, "the first request is initialize"};
    case Phase::serving:
      if (method != protocol::kInitialize.name) return std::nullopt;
      return rpc::Refusal{rpc::kInvalidRequest, "initialize is sent once"};
    case Phase::shut_down:
      return rpc::Refusal{rpc::kInvalidRequest, "after shutdown only exit is expected"};
  }
  return std::nullopt;
}

void Server::initialize(protocol::InitializeParams params,
                        Answer<protocol::InitializeResult> answer) {
  phase_ = Phase::serving;
  if (params.client_info) log::info("server: client " + params.client_info->name);
  if (params.capabilities) {
    approvals_ = params.capabilities->approvals.value_or(true);
    questions_ = params.capabilities->questions.value_or(false);
  }
  if (params.process_id) {
    engine_.io().watch_process(static_cast<int>(*params.process_id), [this] {
      inbox_.post([this] {
        log::info("server: the client's process is gone");
        leave(exit_code::kError);
      });
    });
  }
  protocol::InitializeResult result;
  result.protocol_version = std::min(params.protocol_version, protocol::kProtocolVersion);
  result.server_info = {std::string(kProgramName), std::string(version())};
  using enum protocol::PermissionMode;
  result.capabilities.permission_modes = {ask, accept_edits, plan, bypass};
  result.capabilities.prompt_images = true;
  answer.result(result);
}

// Answered after the last runEnded and the SessionEnd hooks.
void Server::shutdown(Answer<std::nullptr_t> answer) {
  phase_ = Phase::shut_down;
  shutdown_answer_ = std::move(answer);
  if (sessions_.idle()) return end_sessions();
  cancel_runs();
}

void Server::exit() {
  leave(phase_ == Phase::shut_down ? exit_code::kSuccess : exit_code::kError);
}

}  // namespace agentd::server
