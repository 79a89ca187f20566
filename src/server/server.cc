#include "server/server.h"
#include <cstdlib>

#include <array>
#include <chrono>

#include "base/log.h"
#include "platform/stdio.h"

namespace agentd::server {
namespace {

constexpr std::chrono::seconds kDrain{5};

}  // namespace

Server::Server(ServeOptions options)
    : options_(std::move(options)),
      storage_(engine_, options_.store_sessions),
      outbox_(options_.output,
              [this](const std::string&) { inbox_.post([this] { leave(exit_code::kError); }); }),
      peer_([this](std::string message) { outbox_.send(std::move(message)); }),
      reader_(options_.framing) {
  peer_.set_gate([this](std::string_view method) { return refuse(method); });
  bind_lifecycle();
  bind_agent();
  bind_sessions();
  bind_catalog();
  if (options_.framing != rpc::Framing::automatic) outbox_.set_framing(options_.framing);
}

// Whoever may still post or emit ends before what it posts to.
Server::~Server() {
  inbox_.close();
}

int Server::serve() {
  watch_signals();
  while (!may_leave()) {
    read_input();
    if (work_is_over()) end_sessions();
  }
  const bool told_all = outbox_.drain(kDrain);
  if (!told_all) log::info("server: not everything could be written before the end");
  const int code = leaving_.value_or(sessions_.every_run_succeeded() ? exit_code::kSuccess
                                                                     : exit_code::kStopped);
  storage_.close();
  // A thread that was given up may still use tools and files: they are not destroyed under it.
  if (agent::left_behind() > 0) std::_Exit(code);
  return code;
}

}  // namespace agentd::server
