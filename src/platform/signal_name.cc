#include "platform/signal_name.h"

#include <cstring>

namespace agentd::platform {

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return "signal " + std::to_string(signal) +
         (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
}

}  // namespace agentd::platform
