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

/// Dollars for a million tokens; a cache of five minutes costs a quarter more to write.
constexpr ModelFacts priced(ModelFacts facts, double input, double output, double cache_read) {
  facts.prices = Prices{input, input * 1.25, cache_read, output};
  return facts;
}

constexpr ModelFacts thinks(ModelFacts facts) {
  facts.adaptive_thinking = true;
  return facts;
}

constexpr std::int64_t kMillion = 1'000'000;
constexpr ModelFacts kLarge = thinks(facts(kMillion, 128'000));

// Windows, limits and prices as the vendor documents them (November 2026). Haiku 5.5 has two
// prices, by the length of the prompt: none is given here.
constexpr std::array<CatalogEntry, 17> kAnthropic = {{
    {"claude-sonnet-5-5", "Claude Sonnet 5.5", priced(kLarge, 2, 10, 0.2)},
    {"claude-opus-5-5", "Claude Opus 5.5", priced(kLarge, 4, 20, 0.2)},
    {"claude-fable-5-1", "Claude Fable 5.1", priced(kLarge, 10, 50, 0.25)},
    {"claude-haiku-5-5", "Claude Haiku 5.5", kLarge},
    {"claude-opus-5", "Claude Opus 5", priced(kLarge, 5, 25, 0.5)},
    {"claude-sonnet-5", "Claude Sonnet 5", priced(kLarge, 2, 10, 0.2)},
    {"claude-fable-5", "Claude Fable 5", priced(kLarge, 10, 50, 1)},
    {"claude-opus-4-8", "Claude Opus 4.8", priced(kLarge, 5, 25, 0.5)},
    {"claude-opus-4-7", "Claude Opus 4.7", priced(kLarge, 5, 25, 0.5)},
    {"claude-opus-4-6", "Claude Opus 4.6", priced(kLarge, 5, 25, 0.5)},
    {"claude-sonnet-4-6", "Claude Sonnet 4.6", priced(thinks(facts(kMillion, 64'000)), 3, 15, 0.3)},
    {"claude-haiku-4-5", "Claude Haiku 4.5", priced(facts(200'000, 64'000), 1, 5, 0.1)},
    {"claude-opus-4-5", "Claude Opus 4.5", priced(facts(200'000, 64'000), 5, 25, 0.5)},
    {"claude-sonnet-4-5", "Claude Sonnet 4.5", priced(facts(200'000, 64'000), 3, 15, 0.3)},
    {"claude-opus-4-1", "Claude Opus 4.1", priced(facts(200'000, 32'000), 15, 75, 1.5)},
    {"claude-sonnet-4-0", "Claude Sonnet 4", priced(facts(200'000, 64'000), 3, 15, 0.3)},
    {"claude-3-haiku", "Claude Haiku 3", priced(facts(200'000, 4'096), 0.25, 1.25, 0.03)},
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
