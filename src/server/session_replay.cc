#include "server/session_replay.h"

#include <string_view>

#include "protocol/methods.h"
#include "wire/text.h"

namespace agentd::server {

namespace {

// Kept to know what was accepted and not told when a kill came; no client was told so.
bool is_only_kept(const session::Part& part) {
  return part.method == protocol::kAgentSend.name || part.method == protocol::kAgentUnsend.name;
}

}  // namespace

// As the outbox writes the notifications of a run, whose stored params lack the head.
void SessionReplay::tell(const session::Part& part) {
  if (is_only_kept(part)) return;
  std::string body = R"({"jsonrpc":"2.0")";
  wire::append_key(body, "method");
  wire::append_string(body, part.method);
  wire::append_key(body, "params");
  body += '{';
  wire::append_key(body, "sessionId");
  wire::append_string(body, session_id_);
  wire::append_key(body, "runId");
  wire::append_string(body, part.run);
  wire::append_key(body, "seq");
  wire::append_int(body, ++told_[part.run]);
  wire::append_key(body, "replay");
  wire::append_bool(body, true);
  const std::string_view own = std::string_view(part.params).substr(1);  // behind its brace
  if (own != "}") body += ',';
  body += own;
  body += '}';
  channel_.send(std::move(body));
}

}  // namespace agentd::server
