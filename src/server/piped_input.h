// What was piped into `agentd run`: added to the prompt. Blocks; before anything else runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace agentd::server {

inline constexpr std::size_t kMaxPipedInput = 10 * 1024 * 1024;

/// Everything up to the end of a pipe, socket or file; nothing from a terminal or device, and
/// nothing if a pipe says nothing for `patience` (a script may have inherited one that nobody
/// writes to or closes); without it the wait has no end. Ill-formed UTF-8 is replaced. Code::
/// too_large beyond kMaxPipedInput.
Result<std::optional<std::string>> read_piped_input(
    int fd, std::optional<std::chrono::milliseconds> patience);

}  // namespace agentd::server
