// Catalog: facts about models, nothing else. A name that is not in it is used with safe defaults:
// vendors bring out models faster than programs are updated.
#pragma once

#include <span>
#include <string_view>

#include "model/models.h"

namespace agentd::model {

struct CatalogEntry {
  std::string_view model;  // the vendor's name, without a date
  std::string_view display_name;
  ModelFacts facts;
};

/// Anthropic's models, the recommended one first.
std::span<const CatalogEntry> anthropic_models();

/// Facts by the vendor's name; a trailing date (`-20250929`) is looked past.
ModelFacts anthropic_facts(std::string_view model);

/// OpenAI's models that are served by Chat Completions.
std::span<const CatalogEntry> openai_models();

/// Facts about a model that some endpoint of that API serves, by OpenAI's names; a trailing date
/// (`-2025-08-07`) is looked past. How long a reply of any other may be is left to its endpoint.
ModelFacts openai_chat_facts(std::string_view model);

/// What is used when nobody names a model and there is an Anthropic key.
std::string_view default_anthropic_model();

}  // namespace agentd::model
