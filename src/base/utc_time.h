// Wall-clock time as text for people and programs. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>

namespace agentd {

/// ISO 8601 in UTC to the millisecond: `2026-11-30T06:12:33.120Z`. `milliseconds` since 1970; a
/// time outside the years 0 to 9999 counts as the nearest inside.
std::string utc_time(std::int64_t milliseconds);

}  // namespace agentd
