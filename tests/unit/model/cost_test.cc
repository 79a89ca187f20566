// What a call cost, and how that is said.
#include "model/cost.h"

#include <doctest/doctest.h>

#include "model/catalog.h"

using namespace agentd;
using namespace agentd::model;

TEST_CASE("each kind of token has its price, and what was not told costs nothing") {
  const Prices prices{2, 2.5, 0.2, 10};
  Usage usage;
  CHECK(cost_usd(usage, prices) == doctest::Approx(0));
  usage.input_tokens = 1'000'000;
  usage.cache_creation_input_tokens = 1'000'000;
  usage.cache_read_input_tokens = 1'000'000;
  usage.output_tokens = 100'000;
  CHECK(cost_usd(usage, prices) == doctest::Approx(2 + 2.5 + 0.2 + 1));
}

TEST_CASE("a cache costs more to write than to fill the prompt, and less to read") {
  for (const CatalogEntry& entry : anthropic_models()) {
    if (!entry.facts.prices) continue;
    CAPTURE(entry.model);
    CHECK(entry.facts.prices->cache_write > entry.facts.prices->input);
    CHECK(entry.facts.prices->cache_read < entry.facts.prices->input);
    CHECK(entry.facts.prices->output > entry.facts.prices->input);
  }
}

TEST_CASE("dollars in words") {
  CHECK(usd(0) == "$0.00");
  CHECK(usd(0.0031) == "$0.0031");
  CHECK(usd(0.25) == "$0.25");
  CHECK(usd(12) == "$12.00");
}
