// Which program a name means.
#include "platform/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include "platform/fd.h"
#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;

TEST_CASE("empty and relative entries of PATH find nothing: a workspace brings no programs") {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "bin");
  for (const char* name : {"rg-of-the-workspace", "bin/rg-of-the-workspace"}) {
    put(scratch / name, "#!/bin/sh\n");
    std::filesystem::permissions(scratch / name, std::filesystem::perms::owner_all);
  }
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ProgramStart start{.argv = {"rg-of-the-workspace"},
                     .environment = {},
                     .search_path = "",
                     .cwd = scratch.path(),
                     .stdio = {null.get(), null.get(), null.get()}};
  for (const char* path : {"", ":", ".", "bin", "./bin:", ":/nowhere:.", "/nowhere::bin"}) {
    CAPTURE(path);
    start.search_path = path;
    const auto started = start_program(start);
    REQUIRE_FALSE(started);
    CHECK(started.error().code == Code::not_found);
  }
  start.search_path = ":" + scratch / "bin";
  const auto started = start_program(start);
  REQUIRE(started);
  CHECK(::waitpid(*started, nullptr, 0) == *started);
}

TEST_CASE("a working directory that has become a link is not entered where links are refused") {
  const Scratch scratch;
  std::filesystem::create_directory_symlink("/", scratch / "sub");
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto started = start_program({.argv = {"/bin/true"},
                                      .environment = {},
                                      .search_path = "",
                                      .cwd = scratch / "sub",
                                      .cwd_links = Links::refuse,
                                      .stdio = {null.get(), null.get(), null.get()}});
  REQUIRE_FALSE(started);
  CHECK(started.error().code == Code::conflict);
}
