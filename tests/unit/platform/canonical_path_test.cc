#include "platform/canonical_path.h"

#include "scratch.h"

using namespace agentd;
using namespace agentd::platform;
using namespace agentd::platform::test;
namespace fs = std::filesystem;

TEST_CASE("dots and slashes are resolved") {
  const Scratch scratch;
  fs::create_directories(scratch / "a/b");
  CHECK(canonical_path(scratch / "a//b/./../b/").value() == (scratch / "a/b"));
  CHECK(canonical_path("/").value() == "/");
  CHECK(canonical_path("/../..").value() == "/");
}

TEST_CASE("links are followed, so that `..` after one leads where the system would go") {
  const Scratch scratch;
  fs::create_directories(scratch / "far/deep");
  fs::create_symlink("far/deep", scratch / "relative");
  fs::create_symlink(scratch / "far", scratch / "absolute");
  CHECK(canonical_path(scratch / "relative/x").value() == (scratch / "far/deep/x"));
  CHECK(canonical_path(scratch / "relative/../x").value() == (scratch / "far/x"));
  CHECK(canonical_path(scratch / "absolute/deep").value() == (scratch / "far/deep"));
}

TEST_CASE("what does not exist stays below its deepest existing parent") {
  const Scratch scratch;
  fs::create_directory(scratch / "real");
  fs::create_symlink("real", scratch / "link");
  CHECK(canonical_path(scratch / "link/new/file").value() == (scratch / "real/new/file"));
  CHECK(canonical_path(scratch / "none/../link/x").value() == (scratch / "real/x"));
  CHECK(canonical_path(scratch / "none/../../../etc/passwd").value() ==
        fs::path(scratch.path()).parent_path().parent_path() / "etc/passwd");
}

TEST_CASE("a dangling link counts as its target, a circle is an error") {
  const Scratch scratch;
  fs::create_symlink("/no/such/place", scratch / "dangling");
  fs::create_symlink("b", scratch / "a");
  fs::create_symlink("a", scratch / "b");
  CHECK(canonical_path(scratch / "dangling").value() == "/no/such/place");
  CHECK(canonical_path(scratch / "dangling/below").value() == "/no/such/place/below");
  CHECK(canonical_path(scratch / "a").error().code == Code::invalid_input);
}

TEST_CASE("a path through a file is an error") {
  const Scratch scratch;
  put(scratch / "file", "");
  CHECK(canonical_path(scratch / "file/below").error().code == Code::not_found);
}
