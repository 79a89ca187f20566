#include "model/catalog.h"

#include <algorithm>
#include <array>

namespace agentd::model {
namespace {

constexpr ModelFacts facts(std::int64_t window, std::int64_t output) {
  ModelFacts facts;
  facts.context_window = window;
  facts.default_output = std::min<std::int64_t>(32'000, output);
  facts.maximum_output = output;
  return facts;
}

constexpr std::int64_t kMillion = 1'000'000;

// Windows and output limits as the vendor documents them.
constexpr std::array<CatalogEntry, 13> kAnthropic = {{
    {"claude-sonnet-4-6", "Claude Sonnet 4.6", facts(kMillion, 64'000)},
    {"claude-opus-4-8", "Claude Opus 4.8", facts(kMillion, 128'000)},
    {"claude-opus-5", "Claude Opus 5", facts(kMillion, 128'000)},
    {"claude-sonnet-5", "Claude Sonnet 5", facts(kMillion, 128'000)},
    {"claude-fable-5", "Claude Fable 5", facts(kMillion, 128'000)},
    {"claude-opus-4-7", "Claude Opus 4.7", facts(kMillion, 128'000)},
    {"claude-opus-4-6", "Claude Opus 4.6", facts(kMillion, 128'000)},
    {"claude-haiku-4-5", "Claude Haiku 4.5", facts(200'000, 64'000)},
    {"claude-opus-4-5", "Claude Opus 4.5", facts(200'000, 64'000)},
    {"claude-sonnet-4-5", "Claude Sonnet 4.5", facts(200'000, 64'000)},
    {"claude-opus-4-1", "Claude Opus 4.1", facts(200'000, 32'000)},
    {"claude-sonnet-4-0", "Claude Sonnet 4", facts(200'000, 64'000)},
    {"claude-3-haiku", "Claude Haiku 3", facts(200'000, 4'096)},
}};

constexpr std::array<CatalogEntry, 9> kOpenAi = {{
    {"gpt-5.1", "GPT-5.1", facts(400'000, 128'000)},
    {"gpt-5", "GPT-5", facts(400'000, 128'000)},
    {"gpt-5-mini", "GPT-5 mini", facts(400'000, 128'000)},
    {"gpt-5-nano", "GPT-5 nano", facts(400'000, 128'000)},
    {"gpt-4.1", "GPT-4.1", facts(1'047'576, 32'768)},
    {"gpt-4.1-mini", "GPT-4.1 mini", facts(1'047'576, 32'768)},
    {"o3", "o3", facts(200'000, 100'000)},
    {"o4-mini", "o4-mini", facts(200'000, 100'000)},
    {"gpt-4o", "GPT-4o", facts(128'000, 16'384)},
}};

// The endpoint knows what its model can write: a limit above that is refused by many.
constexpr ModelFacts kUnknownChat = facts(128'000, 0);

// An unknown name may be an old or a foreign model: ask for what nearly all of them allow.
constexpr ModelFacts kUnknown = facts(200'000, 32'000);

std::string_view without_date(std::string_view model) {
  constexpr std::size_t kDate = 9;  // "-20250929"
  if (model.size() <= kDate) return model;
  const std::string_view tail = model.substr(model.size() - kDate);
  const bool date =
      tail.front() == '-' && tail.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return date ? model.substr(0, model.size() - kDate) : model;
}

std::string_view without_dashed_date(std::string_view model) {
  constexpr std::string_view kShape = "-dddd-dd-dd";
  if (model.size() <= kShape.size()) return model;
  const std::string_view tail = model.substr(model.size() - kShape.size());
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = tail[i] >= '0' && tail[i] <= '9';
    if (kShape[i] == 'd' ? !digit : tail[i] != '-') return model;
  }
  return model.substr(0, model.size() - kShape.size());
}

}  // namespace

std::span<const CatalogEntry> anthropic_models() {
  return kAnthropic;
}

ModelFacts anthropic_facts(std::string_view model) {
  const std::string_view name = without_date(model);
  for (const CatalogEntry& entry : kAnthropic) {
    if (entry.model == name) return entry.facts;
  }
  return kUnknown;
}

std::span<const CatalogEntry> openai_models() {
  return kOpenAi;
}

ModelFacts openai_chat_facts(std::string_view model) {
  const std::string_view name = without_dashed_date(model);
  for (const CatalogEntry& entry : kOpenAi) {
    if (entry.model == name) return entry.facts;
  }
  return kUnknownChat;
}

std::string_view default_anthropic_model() {
  return kAnthropic.front().model;
}

}  // namespace agentd::model
