#include "server/session_faults.h"

#include "wire/text.h"

namespace agentd::server {

Error session_is_busy() {
  return make_error(Code::session_busy,
                    "a run is going on in this session: wait for its agent/runEnded, or cancel it");
}

std::string run_id_member(const std::string& run_id) {
  std::string member;
  wire::append_key(member, "runId");
  wire::append_string(member, run_id);
  return member;
}

Error unknown_session(const std::string& session_id) {
  return make_error(Code::not_found, "there is no session \"" + session_id + "\"");
}

}  // namespace agentd::server
