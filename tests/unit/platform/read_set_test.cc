#include "platform/read_set.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace agentd::platform;

TEST_CASE("a read set tells unchanged from changed from never read") {
  ReadSet read_set;
  CHECK(read_set.compare("/a", "text") == ReadSet::State::never_read);
  read_set.remember("/a", "text");
  CHECK(read_set.compare("/a", "text") == ReadSet::State::unchanged);
  CHECK(read_set.compare("/a", "text\n") == ReadSet::State::changed);
  CHECK(read_set.compare("/b", "text") == ReadSet::State::never_read);
  read_set.remember("/a", "text\n");
  CHECK(read_set.compare("/a", "text\n") == ReadSet::State::unchanged);
}

TEST_CASE("the hash tells apart what differs in one bit, in length, in order or in zeros") {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  std::size_t added = 0;
  const auto add = [&](const std::string& content) {
    const ContentHash hash = hash_content(content);
    seen.insert({hash.high, hash.low});
    ++added;
  };
  for (std::size_t length = 0; length <= 100; ++length) add(std::string(length, '\0'));
  for (std::size_t length = 1; length <= 70; ++length) {
    const std::string base(length, 'a');
    add(base);
    for (std::size_t bit = 0; bit < length * 8; ++bit) {
      std::string other = base;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
      add(other);
    }
  }
  add("0123456789abcdefFEDCBA9876543210");
  add("FEDCBA98765432100123456789abcdef");
  CHECK(seen.size() == added);
}

TEST_CASE("every input bit moves about half of the hash") {
  const std::string base(48, 'q');
  const ContentHash first = hash_content(base);
  for (std::size_t bit = 0; bit < base.size() * 8; ++bit) {
    std::string other = base;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
    const ContentHash second = hash_content(other);
    const int high = __builtin_popcountll(first.high ^ second.high);
    const int low = __builtin_popcountll(first.low ^ second.low);
    CAPTURE(bit);
    CHECK(high > 10);
    CHECK(high < 54);
    CHECK(low > 10);
    CHECK(low < 54);
  }
}

TEST_CASE("what was shown whole is told from what was shown in part") {
  ReadSet read_set;
  read_set.remember("/a", "one");
  CHECK_FALSE(read_set.seen_whole("/a", "one"));
  read_set.remember_whole("/a", "one");
  read_set.remember("/a", "one");
  CHECK(read_set.seen_whole("/a", "one"));
  read_set.remember("/a", "two");
  CHECK_FALSE(read_set.seen_whole("/a", "two"));
  CHECK_FALSE(read_set.seen_whole("/b", "one"));
}

TEST_CASE("entries come by path, with content and the stamp that was confirmed") {
  ReadSet read_set;
  read_set.remember("/b", "two");
  read_set.remember("/a", "one");
  const FileStamp stamp{3, 42};
  read_set.confirm("/a", hash_content("one"), stamp);
  read_set.confirm("/b", hash_content("other"), stamp);
  auto entries = read_set.entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].path == "/a");
  CHECK(*entries[0].content == "one");
  CHECK(entries[0].order > entries[1].order);  // remembered later
  CHECK(entries[0].unchanged_at == stamp);
  CHECK_FALSE(entries[1].unchanged_at.has_value());
  read_set.remember("/a", "one");
  CHECK(read_set.entries()[0].unchanged_at == stamp);
  read_set.remember("/a", "other");
  CHECK_FALSE(read_set.entries()[0].unchanged_at.has_value());
  read_set.forget("/a");
  read_set.forget("/nothing");
  CHECK(read_set.compare("/a", "other") == ReadSet::State::never_read);
  CHECK(read_set.entries().size() == 1);
}

TEST_CASE("kept contents are bounded, the longest remembered go first, hashes stay") {
  ReadSet read_set;
  const std::string most(ReadSet::kLargestKept, 'x');
  read_set.remember("/large", most + "x");
  CHECK(read_set.entries()[0].content == nullptr);
  CHECK(read_set.compare("/large", most + "x") == ReadSet::State::unchanged);
  const std::size_t fit = ReadSet::kMostKept / ReadSet::kLargestKept;
  const auto path = [](std::size_t i) { return "/f" + std::to_string(100 + i); };
  for (std::size_t i = 0; i <= fit; ++i) read_set.remember(path(i), most);
  const auto entries = read_set.entries();
  CHECK(entries[0].path == path(0));
  CHECK(entries[0].content == nullptr);
  CHECK(entries[1].content != nullptr);
  CHECK(entries[fit].content != nullptr);
  CHECK(read_set.compare(path(0), most) == ReadSet::State::unchanged);
  read_set.remember(path(0), "small");  // remembered again, it is the newest
  read_set.remember("/z", most);
  CHECK(read_set.entries()[0].content != nullptr);
  CHECK(read_set.entries()[1].content == nullptr);
}
