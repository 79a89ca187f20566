// What one tool call would touch, told by the tool before it runs: the ground on which
// permission/ judges and on which a client asks its user. Paths are absolute but not yet
// resolved; permission/ resolves symlinks and `..` on both sides itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace agentd {

struct Access {
  std::vector<std::string> reads;      // files or directories read (a directory: all below it)
  std::vector<std::string> writes;     // files created or changed
  std::optional<std::string> command;  // shell text; its effects are unknown
  bool leaves_plan_mode = false;       // a person, or a hook in their place, must agree

  bool operator==(const Access&) const = default;
};

}  // namespace agentd
