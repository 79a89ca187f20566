// The environment of children: what of ours they may see, and what they always get. One list, in
// environment.cc, with its reason. Pure but for what reads
// or changes `environ`.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentd::platform {

using EnvironmentEntries = std::vector<std::pair<std::string, std::string>>;

/// True if a variable of this name may pass from agentd to what the model runs.
bool passes_to_children(std::string_view name);

/// Takes every variable whose name looks like a secret's, or is among `named`, out of our
/// environment, and its bytes out of the block that /proc/PID/environ shows, which root's children
/// could read. Call it before the first thread; the first value of a name counts, as for getenv.
std::map<std::string, std::string> take_secrets(const std::set<std::string>& named = {});

/// Our own environment as it is now, filtered, with the fixed entries: the base for every child.
EnvironmentEntries base_child_environment();

/// `base` with `added` over it, as "NAME=value" strings without doubles.
std::vector<std::string> child_environment(const EnvironmentEntries& base,
                                           const EnvironmentEntries& added);

}  // namespace agentd::platform
