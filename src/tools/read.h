// The Read tool: a file's lines with their numbers, or an image.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_read();

}  // namespace agentd::tools
