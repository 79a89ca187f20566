// The Edit tool: replaces one piece of text in a file.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_edit();

}  // namespace agentd::tools
