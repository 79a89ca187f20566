// The Write tool: puts a whole file in place.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_write();

}  // namespace agentd::tools
