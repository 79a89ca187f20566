// Links::refuse: what was judged as free of links is not opened once it has one.
#include "platform/links.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cerrno>

#include "platform/fd.h"
#include "platform/files.h"
#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;

namespace {

// A directory that became a link to `other`, and a file in it that did.
struct Swapped {
  Scratch scratch;
  std::string below = scratch / "sub/f";
  std::string itself = scratch / "file";

  Swapped() {
    std::filesystem::create_directory(scratch / "other");
    put(scratch / "other/f", "secret");
    std::filesystem::create_directory_symlink("other", scratch / "sub");
    std::filesystem::create_symlink("other/f", itself);
  }
};

}  // namespace

TEST_CASE("no link is followed where links are refused") {
  const Swapped swapped;
  const auto files = make_disk_files();
  for (const std::string& path : {swapped.below, swapped.itself}) {
    CAPTURE(path);
    CHECK(files->read(path, 100).value() == "secret");
    CHECK(files->info(path, Links::refuse).error().code == Code::conflict);
    CHECK(files->read(path, 100, Links::refuse).error().code == Code::conflict);
    CHECK(files->read_range(path, 0, 100, Links::refuse).error().code == Code::conflict);
    CHECK(files->replace(path, "new", Links::refuse).error().code == Code::conflict);
  }
  CHECK_FALSE(files->replace(swapped.scratch / "sub/new", "new", Links::refuse));
  CHECK_FALSE(files->replace(swapped.scratch / "sub/deep/new", "new", Links::refuse));
  CHECK(files->list(swapped.scratch / "sub", Links::refuse).error().code == Code::conflict);
  CHECK(get(swapped.scratch / "other/f") == "secret");
  CHECK(entries(swapped.scratch / "other") == 1);
}

TEST_CASE("without links a refusing call is like any other") {
  const Swapped swapped;
  const auto files = make_disk_files();
  const std::string path = swapped.scratch / "other/f";
  CHECK(files->info(path, Links::refuse).value().size == 6);
  CHECK(files->read(path, 100, Links::refuse).value() == "secret");
  CHECK(files->list(swapped.scratch / "other", Links::refuse).value().size() == 1);
  CHECK(files->info("/", Links::refuse).value().kind == FileKind::directory);
  CHECK(files->read(path + "x", 100, Links::refuse).error().code == Code::not_found);
  CHECK(files->replace(swapped.scratch / "new/f", "x", Links::refuse));
  CHECK(get(swapped.scratch / "new/f") == "x");
}

TEST_CASE("a kernel without openat2 refuses the same") {
  const Swapped swapped;
  const auto error_of = [](const std::string& path, int flags) {
    errno = 0;
    return Fd(open_by_steps(path, flags)).valid() ? 0 : errno;
  };
  for (const int flags : {O_RDONLY, O_PATH}) {
    CHECK(error_of(swapped.below, flags) == ELOOP);
    CHECK(error_of(swapped.itself, flags) == ELOOP);
    CHECK(error_of(swapped.scratch / "sub", flags | O_DIRECTORY) == ELOOP);
    CHECK(error_of(swapped.scratch / "other/f", flags) == 0);
    CHECK(error_of(swapped.scratch / "other/none", flags) == ENOENT);
    CHECK(error_of(swapped.scratch / "other/f/x", flags) == ENOTDIR);
    CHECK(error_of("/", flags) == 0);
  }
}
