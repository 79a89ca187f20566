// ExitPlanMode: the model puts its plan to the user; where they agree, plan mode is left.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_exit_plan_mode();

}  // namespace agentd::tools
