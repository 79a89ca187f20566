#include "session/content_hash_text.h"

#include <doctest/doctest.h>

using namespace agentd::session;
using agentd::platform::ContentHash;

TEST_CASE("a hash comes back from its text, and from no other text does one") {
  const ContentHash hash{0x00000000000000ffULL, 0xfedcba9876543210ULL};
  CHECK(text_of_hash(hash) == "00000000000000fffedcba9876543210");
  CHECK(hash_of_text(text_of_hash(hash)) == hash);
  for (const char* spoiled :
       {"", "ff", "00000000000000fffedcba98765432100", "0000000000000gfffedcba9876543210",
        "00000000000000fffedcba987654321-"}) {
    CAPTURE(spoiled);
    CHECK(hash_of_text(spoiled) == ContentHash{});
  }
}
