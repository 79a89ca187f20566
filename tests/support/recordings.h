// The recordings lie beside the source where they are at hand; who builds elsewhere has none. Tests
// that play them are `TEST_CASE("..." * doctest::skip(!recordings_present("folder")))`.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace agentd::test {

inline std::filesystem::path recordings() {
  return std::filesystem::path(AGENTD_SOURCE_DIR) / "../shared/recorded";
}

/// False, and a line on standard error, if `name` (a folder or file) is not there.
inline bool recordings_present(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(recordings() / name, ignored)) return true;
  std::fprintf(stderr, "SKIPPED: a test, for there are no recordings at ../shared/recorded/%s\n",
               name.c_str());
  return false;
}

}  // namespace agentd::test
