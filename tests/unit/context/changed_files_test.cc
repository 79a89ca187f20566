// Changed files: real files, changed behind the session's back.
#include "context/changed_files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>

#include "base/utf8.h"
#include "unit/context/temp_dir.h"

using namespace agentd;
using namespace agentd::context;
using context::test::TempDir;
using context::test::write;
using platform::ReadSet;
using What = ChangedFile::What;
namespace fs = std::filesystem;

namespace {

// Counts what is read, so that a test can tell that nothing was.
class CountingFiles final : public platform::Files {
 public:
  Result<platform::FileInfo> info(const std::string& path, platform::Links links) override {
    return disk_->info(path, links);
  }
  Result<std::string> read(const std::string& path, std::uint64_t limit,
                           platform::Links links) override {
    ++reads;
    return disk_->read(path, limit, links);
  }
  Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                 std::uint64_t length, platform::Links links) override {
    return disk_->read_range(path, offset, length, links);
  }
  Result<void> replace(const std::string& path, std::string_view content,
                       platform::Links links) override {
    return disk_->replace(path, content, links);
  }
  Result<std::string> canonical(const std::string& path) override { return disk_->canonical(path); }
  Result<void> replace_with_mode(const std::string& path, std::string_view content,
                                 std::uint32_t mode, platform::Links links) override {
    return disk_->replace_with_mode(path, content, mode, links);
  }
  Result<void> remove(const std::string& path, platform::Links links) override {
    return disk_->remove(path, links);
  }
  Result<std::vector<std::string>> list(const std::string& path, platform::Links links) override {
    return disk_->list(path, links);
  }

  int reads = 0;

 private:
  std::unique_ptr<platform::Files> disk_ = platform::make_disk_files();
};

struct Ground {
  std::string file(const std::string& name, const std::string& text) {
    write(dir / name, text);
    read_set.remember_whole(dir / name, text);
    return dir / name;
  }
  std::vector<ChangedFile> look(std::chrono::seconds later = std::chrono::hours(1)) {
    return changed_files(read_set, files, std::chrono::system_clock::now() + later);
  }

  TempDir dir;
  ReadSet read_set;
  CountingFiles files;
};

}  // namespace

TEST_CASE("unchanged files are silent, and after the first look not read again") {
  Ground ground;
  ground.file("a", "one\n");
  ground.file("b", "two\n");
  CHECK(ground.look().empty());
  CHECK(ground.files.reads == 2);
  CHECK(ground.look().empty());
  CHECK(ground.files.reads == 2);
  fs::last_write_time(ground.dir / "a", fs::file_time_type::clock::now() - std::chrono::hours(5));
  CHECK(ground.look().empty());  // touched, not changed
  CHECK(ground.files.reads == 3);
}

TEST_CASE("a file written just now is read even if its size and time are known") {
  Ground ground;
  const std::string path = ground.file("a", "one\n");
  CHECK(ground.look(std::chrono::seconds(0)).empty());
  const auto time = fs::last_write_time(path);
  write(path, "two\n");
  fs::last_write_time(path, time);
  CHECK(ground.look(std::chrono::seconds(0)).size() == 1);
}

TEST_CASE("a changed file comes with its diff, once, and may be edited but not replaced") {
  Ground ground;
  const std::string path = ground.file("a", "one\ntwo\nthree\n");
  write(path, "one\n2\nthree\n");
  const auto changed = ground.look();
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].path == path);
  CHECK(changed[0].what == What::changed);
  CHECK(changed[0].diff.find("\n-two\n+2\n") != std::string::npos);
  CHECK(changed_file_attachment(changed[0]).text.find("+2") != std::string::npos);
  CHECK(ground.read_set.compare(path, "one\n2\nthree\n") == ReadSet::State::unchanged);
  CHECK_FALSE(ground.read_set.seen_whole(path, "one\n2\nthree\n"));
  CHECK(ground.look().empty());
  write(path, "one\ntwo\nthree\nfour\n");
  const auto again = ground.look();
  REQUIRE(again.size() == 1);
  CHECK(again[0].diff.find("-2\n+two\n three\n+four\n") != std::string::npos);
}

TEST_CASE("a file that is gone or no file any more is told once and counts as never read") {
  Ground ground;
  const std::string gone = ground.file("a", "one\n");
  const std::string directory = ground.file("b", "two\n");
  const std::string link = ground.file("c", "three\n");
  const std::string pipe = ground.file("d", "four\n");
  fs::remove(gone);
  fs::remove(directory);
  fs::create_directory(directory);
  write(ground.dir / "secret", "secret\n");
  fs::remove(link);
  fs::create_symlink(ground.dir / "secret", link);
  fs::remove(pipe);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string dangling = ground.file("e", "five\n");
  fs::remove(dangling);
  fs::create_symlink(ground.dir / "nowhere", dangling);
  const auto changed = ground.look();
  REQUIRE(changed.size() == 5);
  CHECK(changed[0].what == What::deleted);
  CHECK(changed_file_attachment(changed[0]).text.find("no longer there") != std::string::npos);
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(changed[i].what == What::unreadable);
    CHECK(changed[i].diff.empty());
  }
  CHECK(ground.read_set.compare(gone, "one\n") == ReadSet::State::never_read);
  CHECK(ground.look().empty());
}

TEST_CASE("a long diff is cut between lines, and says how much there was") {
  Ground ground;
  std::string before;
  std::string after;
  for (int i = 0; i < 2000; ++i) {
    before += "old \xE4\xB8\xAD " + std::to_string(i) + "\n";
    after += "new \xE4\xB8\xAD " + std::to_string(i) + "\n";
  }
  const std::string path = ground.file("a", before);
  write(path, after);
  const auto changed = ground.look();
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].diff.size() < kChangedDiffBytes + 100);
  CHECK(changed[0].diff.ends_with("cut here: 2000 lines added, 2000 removed in all]\n"));
  CHECK(utf8::valid(changed[0].diff));
}

TEST_CASE("no diff of what is not text or was too large to keep") {
  Ground ground;
  write(ground.file("binary", "one\n"), std::string("a\0b", 3));
  write(ground.file("large", std::string(ReadSet::kLargestKept + 1, 'x')), "small\n");
  const auto changed = ground.look();
  REQUIRE(changed.size() == 2);
  for (const ChangedFile& file : changed) {
    CHECK(file.diff.empty());
    CHECK(changed_file_attachment(file).text.find("Read it again") != std::string::npos);
  }
}

TEST_CASE("line ends and byte order marks are changes like others") {
  Ground ground;
  write(ground.file("a", "one\n"), "one\r\n");
  write(ground.file("b", "one\n"), "\xEF\xBB\xBFone\n");
  CHECK(ground.look().size() == 2);
}
