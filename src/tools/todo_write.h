// TodoWrite: the model's list of its own work. The run keeps it (Outcome::todos).
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_todo_write();

}  // namespace agentd::tools
