// ModelFacts: what the engine knows about one model. Values.
#pragma once

#include <cstdint>
#include <optional>

namespace agentd::model {

/// US dollars for a million tokens.
struct Prices {
  double input = 0;
  double cache_write = 0;
  double cache_read = 0;
  double output = 0;
};

/// Facts about one model, from the catalog.
struct ModelFacts {
  std::int64_t context_window = 200'000;  // tokens
  std::int64_t default_output = 32'000;   // first max_output_tokens asked for; 0: what it likes
  std::int64_t maximum_output = 64'000;   // the raised limit; 0: not known
  std::optional<Prices> prices;           // absent: not known
  bool adaptive_thinking = false;         // thinks as much as it sees fit, if it is told to
};

}  // namespace agentd::model
