// The list of trusted directories, on the real disk.
#include "config/trust.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "unit/platform/scratch.h"

using namespace agentd;
using namespace agentd::config;

namespace {

struct Ground {
  platform::test::Scratch scratch;
  std::unique_ptr<platform::Files> files = platform::make_disk_files();
  std::string list = scratch / "data/agentd/trusted.json";

  std::string directory(const std::string& name) const {
    std::filesystem::create_directories(scratch / name);
    return scratch / name;
  }
  bool trusted(const std::string& path) const { return is_trusted(list, path, *files).value(); }
};

}  // namespace

TEST_CASE("where the list is") {
  const auto with = [](std::string name, std::string value) {
    return trust_file([=](const std::string& asked) {
      return asked == name ? std::optional<std::string>(value) : std::nullopt;
    });
  };
  CHECK(with("XDG_DATA_HOME", "/x") == "/x/agentd/trusted.json");
  CHECK(with("HOME", "/home/u") == "/home/u/.local/share/agentd/trusted.json");
  CHECK(with("XDG_DATA_HOME", "relative").empty());
  CHECK(with("OTHER", "/x").empty());
}

TEST_CASE("nothing is trusted before it was said; then the directory and what is below it") {
  const Ground ground;
  const std::string project = ground.directory("project");
  const std::string below = ground.directory("project/a/b");
  const std::string beside = ground.directory("project2");
  CHECK_FALSE(ground.trusted(project));
  CHECK(trust(ground.list, project, *ground.files).value() == project);
  CHECK(ground.trusted(project));
  CHECK(ground.trusted(below));
  CHECK(ground.trusted(project + "/not/there/yet"));
  CHECK_FALSE(ground.trusted(beside));
  CHECK_FALSE(ground.trusted(ground.scratch.path()));
  CHECK_FALSE(ground.trusted(project + "/../project2"));
  CHECK(platform::test::get(ground.list) ==
        "{\n  \"directories\": [\n    \"" + project + "\"\n  ]\n}\n");
}

TEST_CASE("what is trusted already changes nothing; another is added") {
  const Ground ground;
  const std::string project = ground.directory("project");
  REQUIRE(trust(ground.list, project, *ground.files));
  const std::string before = platform::test::get(ground.list);
  REQUIRE(trust(ground.list, project + "/", *ground.files));
  REQUIRE(trust(ground.list, ground.directory("project/sub"), *ground.files));
  CHECK(platform::test::get(ground.list) == before);
  REQUIRE(trust(ground.list, ground.directory("other"), *ground.files));
  CHECK(ground.trusted(project));
  CHECK(ground.trusted(ground.scratch / "other"));
}

TEST_CASE("links are resolved on both sides") {
  const Ground ground;
  const std::string real = ground.directory("real");
  const std::string link = ground.scratch / "link";
  std::filesystem::create_symlink(real, link);
  CHECK(trust(ground.list, link, *ground.files).value() == real);
  CHECK(ground.trusted(real));
  CHECK(ground.trusted(link));
  // The trust was in the directory, not in the name.
  std::filesystem::remove(link);
  std::filesystem::create_symlink(ground.directory("evil"), link);
  CHECK_FALSE(ground.trusted(link));
}

TEST_CASE("only directories are trusted") {
  const Ground ground;
  platform::test::put(ground.scratch / "file", "x");
  CHECK(trust(ground.list, ground.scratch / "file", *ground.files).error().code ==
        Code::invalid_input);
  CHECK(trust(ground.list, ground.scratch / "none", *ground.files).error().code == Code::not_found);
  CHECK_FALSE(std::filesystem::exists(ground.list));
}

TEST_CASE("a broken list trusts nothing and is never overwritten") {
  const Ground ground;
  const std::string project = ground.directory("project");
  REQUIRE(trust(ground.list, project, *ground.files));
  for (const char* text : {"", "{", "[]", R"({"directories": "/"})", R"({"directories": [1]})"}) {
    CAPTURE(text);
    platform::test::put(ground.list, text);
    const auto asked = is_trusted(ground.list, project, *ground.files);
    REQUIRE_FALSE(asked);
    CHECK(asked.error().message.find(ground.list) != std::string::npos);
    CHECK_FALSE(trust(ground.list, project, *ground.files));
    CHECK(platform::test::get(ground.list) == text);
  }
}
