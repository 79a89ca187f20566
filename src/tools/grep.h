// The Grep tool: searches file contents.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_grep();

}  // namespace agentd::tools
