// Exit code 1 is an answer, not a failure, from programs that search or compare: grep, rg, diff,
// test, find. Says so only where it is certain that the code came from such a program; in doubt a
// failure is a failure. To be replaced by the parsed command once shell/ exists.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentd::tools {

/// What exit code `exit_code` of `command` means, in words, if it is benign.
std::optional<std::string> benign_exit(std::string_view command, int exit_code);

}  // namespace agentd::tools
