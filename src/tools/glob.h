// The Glob tool: finds files by name.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_glob();

}  // namespace agentd::tools
