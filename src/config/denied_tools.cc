#include "config/denied_tools.h"

#include <algorithm>

#include "base/ascii.h"
#include "config/edit_distance.h"

namespace agentd::config {
namespace {

constexpr std::size_t kLongestName = 64;  // bytes; what an API allows

bool is_tool_name(const std::string& rule) {
  return !rule.empty() && rule.size() <= kLongestName &&
         rule.find_first_of("() \t\n") == std::string::npos;
}

// The known tool that `name` is but for its case and one letter; nullptr if it is none, or exact.
const std::string* meant_by(const std::string& name, const std::vector<std::string>& known_tools) {
  if (std::find(known_tools.begin(), known_tools.end(), name) != known_tools.end()) return nullptr;
  const auto meant =
      std::find_if(known_tools.begin(), known_tools.end(), [&](const std::string& known) {
        return edit_distance(ascii::lowered(name), ascii::lowered(known)) <= 1;
      });
  return meant == known_tools.end() ? nullptr : &*meant;
}

std::string not_kept_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " rule is" : " rules are") +
         " not kept: only whole tools can be denied so far, by their names";
}

}  // namespace

DeniedTools denied_tools(const wire::Json& file, const std::string& path,
                         const std::vector<std::string>& known_tools) {
  DeniedTools denied;
  const wire::Json* permissions = wire::member(file, "permissions");
  const wire::Json* rules = permissions != nullptr ? wire::member(*permissions, "deny") : nullptr;
  if (rules == nullptr) return denied;
  const auto tell = [&](const std::string& text) {
    denied.notices.push_back({"settings_rule", path + ": permissions.deny: " + text});
  };
  if (!rules->is_array()) {
    tell("expected an array of the names of tools; it denies nothing");
    return denied;
  }
  std::size_t not_kept = 0;
  for (const auto& rule : *rules) {
    const auto* name = rule.get_ptr<const std::string*>();
    if (name == nullptr || !is_tool_name(*name)) {
      ++not_kept;
      continue;
    }
    denied.names.push_back(*name);
    if (const std::string* meant = meant_by(*name, known_tools)) {
      tell("there is no tool \"" + *name + "\", so nothing is denied by it; did you mean \"" +
           *meant + "\"?");
    }
  }
  if (not_kept > 0) tell(not_kept_text(not_kept));
  return denied;
}

}  // namespace agentd::config
