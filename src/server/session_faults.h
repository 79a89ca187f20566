// What is said of sessions that are not there or not free. Pure, any thread.
#pragma once

#include <string>

#include "base/result.h"

namespace agentd::server {

/// Code::session_busy; its data names the run: run_id_member.
Error session_is_busy();
/// `"runId":"..."`, a member of an error's data.
std::string run_id_member(const std::string& run_id);

Error unknown_session(const std::string& session_id);

}  // namespace agentd::server
