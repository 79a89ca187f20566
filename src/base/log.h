// Log: one line per event to a file or to standard error, off by default. In front of spdlog so
// that no other file pays for its headers. Any thread. Never give it a key, a header or file
// contents: what is logged is what a user may paste into a bug report.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace agentd::log {

enum class Level { debug, info, warning, error };

/// Where the lines go: a file path (appended to), or "-" for standard error. Until it is called
/// nothing is written anywhere.
Result<void> open(const std::string& destination, Level lowest);

bool enabled(Level level);
void write(Level level, std::string_view line);

inline void debug(std::string_view line) {
  write(Level::debug, line);
}
inline void info(std::string_view line) {
  write(Level::info, line);
}
inline void warning(std::string_view line) {
  write(Level::warning, line);
}
inline void error(std::string_view line) {
  write(Level::error, line);
}

}  // namespace agentd::log
