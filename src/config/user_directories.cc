#include "config/user_directories.h"

namespace agentd::config {
namespace {

// The specification: a value that is not absolute is to be ignored.
std::string absolute(const Environment& environment, const std::string& name) {
  const auto value = environment(name);
  return value && value->starts_with('/') ? *value : "";
}

std::string ours(const Environment& environment, const std::string& name,
                 const std::string& below_home) {
  if (const std::string base = absolute(environment, name); !base.empty()) return base + "/agentd";
  const std::string home = home_directory(environment);
  return home.empty() ? "" : home + below_home + "/agentd";
}

}  // namespace

std::string home_directory(const Environment& environment) {
  return absolute(environment, "HOME");
}

std::string config_directory(const Environment& environment) {
  return ours(environment, "XDG_CONFIG_HOME", "/.config");
}

std::string data_directory(const Environment& environment) {
  return ours(environment, "XDG_DATA_HOME", "/.local/share");
}

}  // namespace agentd::config
