#include "model/system_prompt.h"

#include "model/system_prompt.md.h"

namespace agentd::model {

std::string_view system_prompt() {
  return embedded::system_prompt;
}

}  // namespace agentd::model
