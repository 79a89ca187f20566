// The environment of children: what of ours they may see, and what they always get. One list, in
// environment.cc, with its reason. Pure but for reading `environ` once.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentd::platform {

using EnvironmentEntries = std::vector<std::pair<std::string, std::string>>;

/// True if a variable of this name may pass from agentd to what the model runs.
bool passes_to_children(std::string_view name);

/// Our own environment as it is now, filtered, with the fixed entries: the base for every child.
EnvironmentEntries base_child_environment();

/// `base` with `added` over it, as "NAME=value" strings without doubles.
std::vector<std::string> child_environment(const EnvironmentEntries& base,
                                           const EnvironmentEntries& added);

}  // namespace agentd::platform
