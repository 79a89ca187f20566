// A signal's number and name for people. Pure, any thread.
#pragma once

#include <string>

namespace agentd::platform {

/// "signal 9 (SIGKILL)"; the number alone if it has no name.
std::string signal_name(int signal);

}  // namespace agentd::platform
