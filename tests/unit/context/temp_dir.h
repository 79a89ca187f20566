// What the tests of this room share: a directory that goes away, and files in it.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace agentd::context::test {

struct TempDir {
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "agentd-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = std::filesystem::canonical(name).string();
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string& name) const { return path + '/' + name; }

  std::string path;
};

/// Creates the parent directories too.
inline void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace agentd::context::test
