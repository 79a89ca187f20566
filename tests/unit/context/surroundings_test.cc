#include "context/surroundings.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "unit/context/temp_dir.h"

using namespace agentd;

using context::test::TempDir;
using context::test::write;

namespace {

context::Surroundings look(const std::string& cwd) {
  const auto files = platform::make_disk_files();
  return context::look_around(cwd, std::chrono::system_clock::from_time_t(1'796'000'000), *files);
}

}  // namespace

TEST_CASE("outside git") {
  const TempDir dir;
  const auto found = look(dir.path);
  CHECK_FALSE(found.in_git);
  CHECK(found.cwd == dir.path);
  CHECK(found.date.size() == 10);
  CHECK(context::describe(found).find("Git: not a repository") != std::string::npos);
}

TEST_CASE("the branch is found from a directory below, and in a linked work tree") {
  const TempDir dir;
  write(dir.path + "/.git/HEAD", "ref: refs/heads/feature/x\n");
  std::filesystem::create_directories(dir.path + "/a/b");
  CHECK(look(dir.path + "/a/b").git_branch == "feature/x");
  CHECK(look(dir.path + "/a/b").git_root == dir.path);
  write(dir.path + "/tree/.git", "gitdir: " + dir.path + "/.git/worktrees/tree\n");
  write(dir.path + "/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n");
  CHECK(look(dir.path + "/tree").git_branch == "other");
  CHECK(look(dir.path + "/tree").git_root == dir.path + "/tree");
}

TEST_CASE("a detached head is a repository without a branch") {
  const TempDir dir;
  write(dir.path + "/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
  const auto found = look(dir.path);
  CHECK(found.in_git);
  CHECK(found.git_branch.empty());
}
