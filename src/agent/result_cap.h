// The last bound on what a call may put into history. Tools cap their own output with better
// words; this one holds for every tool, whatever it does.
#pragma once

#include <vector>

#include "message/message.h"

namespace agentd::agent {

/// Bytes of text in one result.
inline constexpr std::size_t kMaxResultText = 400'000;

/// `content` as valid UTF-8, never empty, its text cut at the bound with a note that says so.
std::vector<ToolContent> capped(std::vector<ToolContent> content);

}  // namespace agentd::agent
