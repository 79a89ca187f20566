#include "config/denied_tools.h"

namespace agentd::config {
namespace {

constexpr std::size_t kLongestName = 64;  // bytes; what an API allows

bool is_tool_name(const std::string& rule) {
  return !rule.empty() && rule.size() <= kLongestName &&
         rule.find_first_of("() \t\n") == std::string::npos;
}

}  // namespace

DeniedTools denied_tools(const wire::Json& file, const std::string& path) {
  DeniedTools denied;
  const wire::Json* permissions = wire::member(file, "permissions");
  const wire::Json* rules = permissions != nullptr ? wire::member(*permissions, "deny") : nullptr;
  if (rules == nullptr) return denied;
  std::size_t not_kept = 0;
  if (!rules->is_array()) {
    ++not_kept;
  } else {
    for (const auto& rule : *rules) {
      const auto* name = rule.get_ptr<const std::string*>();
      if (name != nullptr && is_tool_name(*name)) {
        denied.names.push_back(*name);
      } else {
        ++not_kept;
      }
    }
  }
  if (not_kept > 0) {
    denied.notices.push_back(
        {"settings_rule", path + ": permissions.deny: " + std::to_string(not_kept) +
                              " rules are not kept: only whole tools can be denied so far, by "
                              "their names"});
  }
  return denied;
}

}  // namespace agentd::config
