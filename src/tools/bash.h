// The Bash tool: runs a shell command.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_bash();

}  // namespace agentd::tools
