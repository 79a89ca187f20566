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
