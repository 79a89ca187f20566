// Recent files: which come back after a compaction, and how much of them.
#include "context/recent_files.h"

#include <doctest/doctest.h>

#include "base/utf8.h"

using namespace agentd;
using namespace agentd::context;

TEST_CASE("the files read last come back, the latest first, what is no text does not") {
  platform::ReadSet read_set;
  for (const char* path : {"/a", "/b", "/c", "/d"}) read_set.remember(path, path);
  read_set.remember("/binary", std::string("a\0b", 3));
  read_set.remember("/latin1", "\xE9t\xE9");
  read_set.remember("/large", std::string(platform::ReadSet::kLargestKept + 1, 'x'));
  read_set.remember("/a", "/a");
  const auto files = recent_files(read_set, 3);
  REQUIRE(files.size() == 3);
  CHECK(files[0].title == "/a");
  CHECK(files[1].title == "/d");
  CHECK(files[2].title == "/c");
  CHECK(files[0].kind == AttachmentKind::recent_file);
  CHECK(files[0].text.ends_with("\n/a"));
  CHECK(recent_files(read_set).size() == 4);
  CHECK(recent_files(platform::ReadSet()).empty());
}

TEST_CASE("a long file is cut between characters") {
  platform::ReadSet read_set;
  std::string text = "x";
  while (text.size() < 3 * kRecentFileBytes) text += "\xE4\xB8\xAD";
  read_set.remember("/a", text);
  const auto files = recent_files(read_set);
  REQUIRE(files.size() == 1);
  CHECK(utf8::valid(files[0].text));
  CHECK(files[0].text.size() < kRecentFileBytes + 200);
  CHECK(files[0].text.find("is cut") != std::string::npos);
  CHECK(recent_files(read_set, 1, 300)[0].text.size() < 500);
}
