#include "model/cost.h"

#include <array>
#include <cstdio>

namespace agentd::model {

double cost_usd(const Usage& usage, const Prices& prices) {
  const auto part = [](const std::optional<std::int64_t>& tokens, double price) {
    return static_cast<double>(tokens.value_or(0)) * price / 1e6;
  };
  return part(usage.input_tokens, prices.input) +
         part(usage.cache_creation_input_tokens, prices.cache_write) +
         part(usage.cache_read_input_tokens, prices.cache_read) +
         part(usage.output_tokens, prices.output);
}

std::string usd(double dollars) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), dollars >= 0.1 || dollars == 0 ? "$%.2f" : "$%.4f",
                dollars);
  return text.data();
}

}  // namespace agentd::model
