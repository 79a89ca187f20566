// The words of the store's own faults.
#pragma once

#include <string>

#include "base/result.h"

namespace agentd::session {

inline Error no_session(const std::string& session) {
  return make_error(Code::not_found, "there is no stored session \"" + session + "\"");
}

/// What is stored of it is not what was written.
inline Error cannot_read(const std::string& session, const Error& fault) {
  return make_error(Code::io, "session \"" + session + "\" cannot be read: " + fault.message,
                    fault.where);
}

}  // namespace agentd::session
