#include "agent/offered_tools.h"

#include <algorithm>
#include <set>

namespace agentd::agent {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_offered(const tools::Tool& tool, const ToolWishes& wishes) {
  const std::string& name = tool.definition().name;
  if (tool.asks_user() && !wishes.questions) return false;
  return (!wishes.only || contains(*wishes.only, name)) && !contains(wishes.denied, name);
}

}  // namespace

std::vector<ToolDefinition> called_tools_by_name(const std::vector<MessagePtr>& view) {
  std::set<std::string> names;
  for (const MessagePtr& message : view) {
    for (const Block& block : message->blocks) {
      if (const auto* call = std::get_if<ToolUseBlock>(&block)) names.insert(call->name);
    }
  }
  std::vector<ToolDefinition> named;
  for (const std::string& name : names) {
    named.push_back({name, "Cannot be called.", Json{{"type", "object"}}});
  }
  return named;
}

OfferedTools::OfferedTools(const tools::Registry& registry, const ToolWishes& wishes)
    : registry_(registry), definitions_(registry.definitions()) {
  auto some = std::make_shared<std::vector<ToolDefinition>>();
  for (const auto& tool : registry.all()) {
    if (is_offered(*tool, wishes)) some->push_back(tool->definition());
  }
  if (some->size() < definitions_->size()) definitions_ = std::move(some);
}

const tools::Tool* OfferedTools::find(std::string_view name) const {
  const bool offered =
      std::any_of(definitions_->begin(), definitions_->end(),
                  [&](const ToolDefinition& definition) { return definition.name == name; });
  return offered ? registry_.find(name) : nullptr;
}

std::string OfferedTools::names() const {
  std::string names;
  for (const ToolDefinition& tool : *definitions_) {
    if (!names.empty()) names += ", ";
    names += tool.name;
  }
  return names;
}

}  // namespace agentd::agent
