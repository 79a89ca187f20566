#include "base/version.h"

namespace agentd {

std::string_view version() {
  return AGENTD_VERSION;
}

}  // namespace agentd
