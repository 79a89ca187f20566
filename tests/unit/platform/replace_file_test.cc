#include "platform/replace_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "platform/files.h"
#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
namespace fs = std::filesystem;

namespace {

struct stat status_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status;
}

}  // namespace

TEST_CASE("a new file appears with its parents, by the umask") {
  const Scratch scratch;
  const auto files = make_disk_files();
  const mode_t before = ::umask(027);
  const auto made = files->replace(scratch / "x/y/file", "content");
  ::umask(before);
  REQUIRE(made);
  CHECK(get(scratch / "x/y/file") == "content");
  CHECK((status_of(scratch / "x/y/file").st_mode & 07777) == 0640);
  CHECK((status_of(scratch / "x").st_mode & 07777) == 0750);
  CHECK(entries(scratch / "x/y") == 1);  // no temporary file
}

TEST_CASE("mode, bytes and missing final newline are kept (field report 77)") {
  const Scratch scratch;
  const auto files = make_disk_files();
  put(scratch / "script", "#!/bin/sh\n");
  REQUIRE(::chmod((scratch / "script").c_str(), 0755) == 0);
  const std::string content("\xEF\xBB\xBF#!/bin/sh\r\n\0no newline", 24);
  REQUIRE(files->replace(scratch / "script", content));
  CHECK(get(scratch / "script") == content);
  CHECK((status_of(scratch / "script").st_mode & 07777) == 0755);
  REQUIRE(files->replace(scratch / "script", ""));
  CHECK(get(scratch / "script").empty());
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("through a link the target changes and the link stays (field report 77)") {
  const Scratch scratch;
  const auto files = make_disk_files();
  fs::create_directory(scratch / "far");
  put(scratch / "far/target", "old");
  fs::create_symlink("far/target", scratch / "link");
  fs::create_symlink("far/new", scratch / "dangling");
  REQUIRE(files->replace(scratch / "link", "new"));
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(get(scratch / "far/target") == "new");
  REQUIRE(files->replace(scratch / "dangling", "made"));
  CHECK(fs::is_symlink(scratch / "dangling"));
  CHECK(get(scratch / "far/new") == "made");
}

TEST_CASE("a reader that had the file open keeps the old bytes, hard links are parted") {
  const Scratch scratch;
  const auto files = make_disk_files();
  put(scratch / "a", "old");
  fs::create_hard_link(scratch / "a", scratch / "b");
  std::ifstream reader(scratch / "a");
  REQUIRE(files->replace(scratch / "a", "new"));
  std::string seen;
  reader >> seen;
  CHECK(seen == "old");
  CHECK(get(scratch / "a") == "new");
  CHECK(get(scratch / "b") == "old");
}

TEST_CASE("what is not a regular file is not replaced") {
  const Scratch scratch;
  const auto files = make_disk_files();
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  put(scratch / "file", "x");
  CHECK(files->replace(scratch / "pipe", "x").error().code == Code::invalid_input);
  CHECK(files->replace(scratch.path(), "x").error().code == Code::invalid_input);
  CHECK(files->replace(scratch / "new/", "x").error().code == Code::invalid_input);
  CHECK(!files->replace(scratch / "file/below", "x"));
  CHECK(entries(scratch.path()) == 2);
}

TEST_CASE("a link that appears after the path was judged is not followed") {
  const Scratch scratch;
  fs::create_directory(scratch / "outside");
  put(scratch / "outside/file", "secret");
  fs::create_symlink("outside", scratch / "directory");
  fs::create_symlink("outside/file", scratch / "file");
  // As if these had been plain names when they were made canonical.
  CHECK(replace_file(scratch / "directory/file", "x").error().code == Code::conflict);
  CHECK(replace_file(scratch / "file", "x").error().code == Code::conflict);
  CHECK(get(scratch / "outside/file") == "secret");
}

TEST_CASE("a read-only directory or file is an error and stays intact (field report 77)") {
  const Scratch scratch;
  fs::create_directory(scratch / "closed");
  put(scratch / "closed/file", "old");
  put(scratch / "locked", "old");
  fs::permissions(scratch.path(), fs::perms(0777));
  fs::permissions(scratch / "closed/file", fs::perms(0666));
  fs::permissions(scratch / "closed", fs::perms(0555));
  fs::permissions(scratch / "locked", fs::perms(0444));
  const int refused = in_unprivileged_child([&] {
    const auto files = make_disk_files();
    const auto in_closed = files->replace(scratch / "closed/file", "new");
    const auto locked = files->replace(scratch / "locked", "new");
    const auto code = [](const Result<void>& result) {
      return !result && result.error().code == Code::permission_denied;
    };
    return (code(in_closed) ? 1 : 0) + (code(locked) ? 2 : 0);
  });
  CHECK(refused == 3);
  CHECK(get(scratch / "closed/file") == "old");
  CHECK(get(scratch / "locked") == "old");
  CHECK(entries(scratch / "closed") == 1);
  CHECK(entries(scratch.path()) == 2);
}

TEST_CASE("when the disk takes no more the old file is intact (field report 77)") {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms(0777));
  put(scratch / "file", "old");
  fs::permissions(scratch / "file", fs::perms(0666));
  const int code = in_unprivileged_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};  // a write past it fails with EFBIG, as on a full disk
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 98;
    const auto result = make_disk_files()->replace(scratch / "file", std::string(5000, 'x'));
    return !result && result.error().code == Code::too_large ? 1 : 0;
  });
  CHECK(code == 1);
  CHECK(get(scratch / "file") == "old");
  CHECK(entries(scratch.path()) == 1);
}
