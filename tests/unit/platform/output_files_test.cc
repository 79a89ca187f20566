// Whole outputs of commands: kept where it is said, swept by age and size, removed with their
// session.
#include "platform/output_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace agentd;
using namespace agentd::platform;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

struct Place {
  Place() { files.keep_in(path + "/outputs"); }

  // An output of `session`, as old as is said.
  fs::path add(const std::string& session, std::size_t bytes, std::chrono::hours age) {
    const auto name = files.new_path(session);
    REQUIRE(name.has_value());
    std::ofstream(*name) << std::string(bytes, 'x');
    fs::last_write_time(*name, fs::file_time_type::clock::now() - age);
    return *name;
  }
  std::string outputs() const { return path + "/outputs"; }

  TemporaryDirectory place;
  std::string path = place.path().value();
  OutputFiles files;
};

}  // namespace

TEST_CASE("kept outputs are for their user alone, and each has a name of its own") {
  Place place;
  const auto first = place.add("s/../1", 1, 0h);
  const auto second = place.add("s/../1", 1, 0h);
  CHECK(first != second);
  CHECK(first.parent_path() == place.outputs());
  CHECK(fs::status(place.outputs()).permissions() == fs::perms::owner_all);
}

TEST_CASE("without a place to keep them they are gone with their owner") {
  fs::path path;
  {
    OutputFiles files;
    path = *files.new_path("s1");
    CHECK(fs::is_directory(path.parent_path()));
  }
  CHECK(!fs::exists(path.parent_path()));
}

TEST_CASE(
    "the sweep takes what is too old, then the oldest of too much, and nothing just written") {
  Place place;
  const auto ancient = place.add("s1", 10, 24h * 31);
  const auto older = place.add("s1", 60, 48h);
  const auto newer = place.add("s1", 60, 24h);
  const auto fresh = place.add("s1", 60, 0h);
  sweep_outputs(place.outputs(), {.bytes = 130});
  CHECK(!fs::exists(ancient));
  CHECK(!fs::exists(older));
  CHECK(fs::exists(newer));
  CHECK(fs::exists(fresh));
  sweep_outputs(place.outputs(), {.bytes = 1});
  CHECK(!fs::exists(newer));
  CHECK(fs::exists(fresh));
  sweep_outputs(place.path + "/nowhere");
}

TEST_CASE("a session's outputs go with it, and no other's") {
  Place place;
  const auto mine = place.add("s1", 1, 0h);
  const auto theirs = place.add("s2", 1, 0h);
  remove_outputs(place.outputs(), "s1");
  CHECK(!fs::exists(mine));
  CHECK(fs::exists(theirs));
}
