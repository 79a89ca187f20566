// Removing a file, and replacing one with a mode: what a checkpoint needs to bring a file back as
// it was, as careful about links as any change.
#include <sys/stat.h>

#include "platform/files.h"
#include "platform/replace_file.h"
#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
namespace fs = std::filesystem;

namespace {

unsigned mode_of(const std::string& path) {
  return make_disk_files()->info(path, Links::refuse).value().mode;
}

}  // namespace

TEST_CASE("a file is removed, and nothing else is") {
  const Scratch scratch;
  const auto files = make_disk_files();
  put(scratch / "file", "x");
  fs::create_directory(scratch / "directory");
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  CHECK(files->remove(scratch / "file", Links::refuse));
  CHECK(files->remove(scratch / "file", Links::refuse).error().code == Code::not_found);
  CHECK(files->remove(scratch / "none/file", Links::refuse).error().code == Code::not_found);
  CHECK(files->remove(scratch / "directory", Links::refuse).error().code == Code::invalid_input);
  CHECK(files->remove(scratch / "directory/", Links::refuse).error().code == Code::invalid_input);
  CHECK(files->remove(scratch / "pipe", Links::refuse).error().code == Code::invalid_input);
  CHECK(files->remove("relative", Links::refuse).error().code == Code::invalid_input);
  CHECK(entries(scratch.path()) == 2);  // nor was a parent made
}

TEST_CASE("a link is not removed, and none on the way is followed, where links are refused") {
  const Scratch scratch;
  const auto files = make_disk_files();
  fs::create_directory(scratch / "outside");
  put(scratch / "outside/file", "secret");
  fs::create_directory_symlink("outside", scratch / "sub");
  fs::create_symlink("outside/file", scratch / "link");
  for (const std::string& path : {scratch / "sub/file", scratch / "link"}) {
    CHECK(files->remove(path, Links::refuse).error().code == Code::conflict);
    CHECK(files->replace_with_mode(path, "x", 0600, Links::refuse).error().code == Code::conflict);
    CHECK(remove_file(path).error().code == Code::conflict);
  }
  CHECK(get(scratch / "outside/file") == "secret");
  REQUIRE(files->remove(scratch / "link"));  // followed: its target goes
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(entries(scratch / "outside") == 0);
}

TEST_CASE("a file its user made read-only is not removed") {
  const Scratch scratch;
  put(scratch / "locked", "old");
  fs::permissions(scratch.path(), fs::perms(0777));
  fs::permissions(scratch / "locked", fs::perms(0444));
  const int refused = in_unprivileged_child([&] {
    const auto removed = make_disk_files()->remove(scratch / "locked", Links::refuse);
    return !removed && removed.error().code == Code::permission_denied ? 1 : 0;
  });
  CHECK(refused == 1);
  CHECK(get(scratch / "locked") == "old");
}

TEST_CASE("with a mode the umask has no say, nor what the old file had") {
  const Scratch scratch;
  const auto files = make_disk_files();
  const mode_t before = ::umask(077);
  const auto made = files->replace_with_mode(scratch / "new/script", "a", 0755, Links::refuse);
  const auto secret = files->replace_with_mode(scratch / "secret", "b", 0600, Links::refuse);
  ::umask(before);
  REQUIRE(made);
  REQUIRE(secret);
  CHECK(mode_of(scratch / "new/script") == 0755);
  CHECK(mode_of(scratch / "secret") == 0600);
  REQUIRE(files->replace_with_mode(scratch / "new/script", "c", 0400, Links::refuse));
  CHECK(mode_of(scratch / "new/script") == 0400);
  CHECK(get(scratch / "new/script") == "c");
  CHECK(entries(scratch / "new") == 1);
}
