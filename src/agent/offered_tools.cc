#include "agent/offered_tools.h"

#include <algorithm>

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
