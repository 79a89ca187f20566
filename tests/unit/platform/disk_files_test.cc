#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>

#include "platform/fd.h"
#include "platform/files.h"
#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;

TEST_CASE("read gives the whole file, or says it is too large") {
  const Scratch scratch;
  const auto files = make_disk_files();
  put(scratch / "a", std::string("one\0two", 7));
  CHECK(files->read(scratch / "a", 7).value() == std::string("one\0two", 7));
  CHECK(files->read(scratch / "a", 6).error().code == Code::too_large);
  put(scratch / "empty", "");
  CHECK(files->read(scratch / "empty", 0).value().empty());
  // A file below /proc tells a size of 0 and still has content.
  CHECK(files->read("/proc/self/stat", 100000).value().find("unit_platform") != std::string::npos);
}

TEST_CASE("read_range gives part of a file") {
  const Scratch scratch;
  const auto files = make_disk_files();
  std::string content(300000, 'x');
  content.replace(100000, 5, "HELLO");
  put(scratch / "a", content);
  CHECK(files->read_range(scratch / "a", 100000, 5).value() == "HELLO");
  CHECK(files->read_range(scratch / "a", 299999, 50).value() == "x");
  CHECK(files->read_range(scratch / "a", 300000, 50).value().empty());
  CHECK(files->read_range(scratch / "a", 0, ~0ULL).value() == content);
  CHECK(files->read_range(scratch / "a", ~0ULL, ~0ULL).value().empty());
}

TEST_CASE("only regular files are read: no pipe, device, socket or directory (field report 38)") {
  const Scratch scratch;
  const auto files = make_disk_files();
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = scratch / "socket";
  name.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);

  const std::pair<std::string, FileKind> inputs[] = {
      {scratch / "pipe", FileKind::fifo},    {name, FileKind::socket},
      {scratch.path(), FileKind::directory}, {"/dev/zero", FileKind::device},
      {"/dev/null", FileKind::device},
  };
  for (const auto& [path, kind] : inputs) {
    CAPTURE(path);
    CHECK(files->info(path).value().kind == kind);
    const auto whole = files->read(path, 100);
    REQUIRE(!whole);
    CHECK(whole.error().code == Code::invalid_input);
    CHECK(whole.error().message.find("only regular files") != std::string::npos);
    CHECK(whole.error().where == path);
    CHECK(!files->read_range(path, 0, 100));
  }
}

TEST_CASE("info and list describe what is there") {
  const Scratch scratch;
  const auto files = make_disk_files();
  put(scratch / "a", "12345");
  put(scratch / ".hidden", "");
  const auto info = files->info(scratch / "a").value();
  CHECK(info.kind == FileKind::regular);
  CHECK(info.size == 5);
  CHECK(info.modified_ns > 1'600'000'000LL * 1'000'000'000LL);
  auto names = files->list(scratch.path()).value();
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{".hidden", "a"});
  CHECK(files->list(scratch / "a").error().code == Code::not_found);
  CHECK(files->info(scratch / "none").error().code == Code::not_found);
}

TEST_CASE("a path that the system could not take is an error of every call") {
  const Scratch scratch;
  const auto files = make_disk_files();
  put(scratch / "a", "safe");
  for (const std::string& path : {scratch / std::string("a\0b", 3), std::string("relative"),
                                  std::string(), scratch / std::string(300, 'n')}) {
    CHECK(files->info(path).error().code == Code::invalid_input);
    CHECK(files->read(path, 10).error().code == Code::invalid_input);
    CHECK(files->read_range(path, 0, 10).error().code == Code::invalid_input);
    CHECK(files->replace(path, "x").error().code == Code::invalid_input);
    CHECK(files->canonical(path).error().code == Code::invalid_input);
    CHECK(files->list(path).error().code == Code::invalid_input);
  }
  CHECK(get(scratch / "a") == "safe");
}
