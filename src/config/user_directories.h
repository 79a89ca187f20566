// The user's own directories by the XDG specification. Pure over the environment, any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace agentd::config {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The home directory; empty if HOME is not an absolute path.
std::string home_directory(const Environment& environment);

/// Where agentd's settings are: `$XDG_CONFIG_HOME/agentd`, else `~/.config/agentd`. Empty if
/// neither variable is an absolute path.
std::string config_directory(const Environment& environment);

/// Where agentd keeps what it was told: `$XDG_DATA_HOME/agentd`, else `~/.local/share/agentd`.
/// Empty if neither variable is an absolute path.
std::string data_directory(const Environment& environment);

}  // namespace agentd::config
