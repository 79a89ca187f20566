// Running ripgrep (`rg`) for Glob and Grep: always by argument vector, bounded in time and output,
// deaf to the user's rg configuration, hidden files included, .git excluded, .gitignore respected
// (also outside a git repository). Waits; tool threads only.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/tool.h"

namespace agentd::tools {

inline constexpr std::chrono::seconds kSearchTimeout{20};

struct Search {
  std::string output;  // bytes, ends with a whole line or record if it was cut
  bool cut = false;    // by time or by size: there may be more
  bool timed_out = false;
  std::string warning;  // what could not be searched; "" if nothing
};

/// `arguments` come after the common ones. `cwd` is canonical: a link on it is an error. No match
/// is an empty output, not an error. Errors: rg is missing, refused the arguments (its own words),
/// found nothing in time, or was cancelled.
Result<Search> ripgrep(std::vector<std::string> arguments, const std::string& cwd,
                       const CallContext& context, char separator = '\n');

}  // namespace agentd::tools
