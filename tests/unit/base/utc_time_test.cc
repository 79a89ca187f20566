#include "base/utc_time.h"

#include <doctest/doctest.h>

#include <limits>

using agentd::utc_time;

TEST_CASE("times of the wall clock as ISO 8601") {
  CHECK(utc_time(0) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_time(1764483153120) == "2025-11-30T06:12:33.120Z");
  CHECK(utc_time(951782399999) == "2000-02-28T23:59:59.999Z");
  CHECK(utc_time(951782400000) == "2000-02-29T00:00:00.000Z");
  CHECK(utc_time(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(utc_time(std::numeric_limits<std::int64_t>::max()) == "9999-12-31T23:59:59.999Z");
  CHECK(utc_time(std::numeric_limits<std::int64_t>::min()) == "0000-01-01T00:00:00.000Z");
}
