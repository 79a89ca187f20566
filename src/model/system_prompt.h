// The built-in system prompt (system_prompt.md): the same bytes for every user and every day, so
// that the prompt cache hits. What varies (date, directory, OS) is an attachment to the first
// user message.
#pragma once

#include <string_view>

namespace agentd::model {

std::string_view system_prompt();

}  // namespace agentd::model
