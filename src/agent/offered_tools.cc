#include "agent/offered_tools.h"

#include <algorithm>

namespace agentd::agent {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_offered(const std::string& name, const ToolWishes& wishes) {
  return (!wishes.only || contains(*wishes.only, name)) && !contains(wishes.denied, name);
}

}  // namespace

OfferedTools::OfferedTools(const tools::Registry& registry, const ToolWishes& wishes)
    : registry_(registry), definitions_(registry.definitions()) {
  auto some = std::make_shared<std::vector<ToolDefinition>>();
  for (const ToolDefinition& tool : *definitions_) {
    if (is_offered(tool.name, wishes)) some->push_back(tool);
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
