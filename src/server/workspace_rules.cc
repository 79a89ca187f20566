#include "server/workspace_rules.h"

#include <iterator>
#include <utility>

#include "config/denied_tools.h"
#include "config/trust.h"
#include "hooks/settings_documents.h"

namespace agentd::server {
namespace {

template <class Item>
void append(std::vector<Item>& to, std::vector<Item> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::vector<std::string> names_of(const tools::Registry& tools) {
  std::vector<std::string> names;
  for (const auto& definition : *tools.definitions()) names.push_back(definition.name);
  return names;
}

}  // namespace

WorkspaceRules read_workspace_rules(const std::string& directory, std::optional<bool> trusted,
                                    platform::Files& files, const config::Environment& environment,
                                    const tools::Registry& tools) {
  WorkspaceRules rules;
  auto documents = hooks::read_settings_documents(directory, files, environment);
  append(rules.notices, std::move(documents.notices));
  if (!trusted) {
    const auto listed = config::is_trusted(config::trust_file(environment), directory, files);
    if (!listed) rules.trust_fault = listed.error().message;
    trusted = listed.value_or(false);
  }
  rules.trusted = *trusted;
  const auto known_tools = names_of(tools);
  for (const auto& document : documents.list) {
    rules.files.push_back(document.path);
    auto denied = config::denied_tools(document.json, document.path, known_tools);
    append(rules.denied_tools, std::move(denied.names));
    append(rules.notices, std::move(denied.notices));
  }
  auto loaded = hooks::load_hooks(documents.list, rules.trusted);
  append(rules.notices, std::move(loaded.notices));
  rules.hooks = std::move(loaded.set);
  rules.ignored_hooks = loaded.ignored;
  rules.ignored_files = std::move(loaded.ignored_files);
  return rules;
}

}  // namespace agentd::server
