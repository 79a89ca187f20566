// AskUserQuestion: the model asks the user. The run puts the questions and waits; the tool runs
// when they are answered, and tells the answers.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace agentd::tools {

std::unique_ptr<Tool> make_ask_user_question();

}  // namespace agentd::tools
