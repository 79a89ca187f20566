#include "base/utf8.h"

#include <doctest/doctest.h>

#include <vector>

using namespace agentd;
using namespace std::string_literals;

namespace {

const std::string kMark = "\xEF\xBF\xBD";  // U+FFFD

std::string marks(std::size_t count) {
  std::string text;
  while (count-- > 0) text += kMark;
  return text;
}

// First and last characters of each length.
const std::vector<std::string> kCharacters = {
    "\0"s,          "\x7F",         "\xC2\x80",     "\xDF\xBF",         "\xE0\xA0\x80",
    "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"};

}  // namespace

TEST_CASE("the first and the last character of each length are valid") {
  for (const std::string& character : kCharacters) {
    CAPTURE(character);
    CHECK(utf8::valid(character));
    CHECK(utf8::valid("12345678" + character + "abc"));
    std::size_t replaced = 99;
    CHECK(utf8::repaired(character, &replaced) == character);
    CHECK(replaced == 0);
    CHECK(utf8::incomplete_tail(character) == 0);
  }
  CHECK(utf8::valid(""));
}

TEST_CASE("what is ill-formed is replaced by its maximal parts") {
  struct Row {
    const char* what;
    std::string bytes;
    std::size_t replaced;
  };
  const std::vector<Row> rows = {
      {"continuation alone", "\x80", 1},
      {"overlong, two bytes", "\xC0\xAF", 2},
      {"overlong, two bytes, the highest", "\xC1\xBF", 2},
      {"overlong, three bytes", "\xE0\x9F\xBF", 3},
      {"overlong, four bytes", "\xF0\x8F\xBF\xBF", 4},
      {"the first surrogate", "\xED\xA0\x80", 3},
      {"the last surrogate", "\xED\xBF\xBF", 3},
      {"a pair of surrogates", "\xED\xA0\xBD\xED\xB8\x80", 6},
      {"above U+10FFFF", "\xF4\x90\x80\x80", 4},
      {"leads that never occur", "\xF5\xFF\xFE", 3},
      {"a lead before a lead", "\xE2\x82\xE2\x82", 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK_FALSE(utf8::valid(row.bytes));
    std::size_t replaced = 0;
    CHECK(utf8::repaired("a" + row.bytes + "z", &replaced) == "a" + marks(row.replaced) + "z");
    CHECK(replaced == row.replaced);
  }
}

TEST_CASE("a character cut at each byte: one mark, and so many bytes to hold back") {
  for (const std::string& character : kCharacters) {
    for (std::size_t length = 1; length < character.size(); ++length) {
      CAPTURE(character);
      CAPTURE(length);
      const std::string cut = "ab" + character.substr(0, length);
      CHECK_FALSE(utf8::valid(cut));
      CHECK(utf8::incomplete_tail(cut) == length);
      CHECK(utf8::incomplete_tail(cut.substr(2)) == length);
      CHECK(utf8::repaired(cut) == "ab" + kMark);
    }
  }
}

TEST_CASE("nothing is held back that can never become a character") {
  for (const char* text : {"", "abc", "\x80\x80\x80\x80", "\xFF", "\xC0", "\xE0\x80", "\xED\xA0",
                           "\xF0\x80\x80", "\xF4\x90", "\xE2\x82\xAC\x82"}) {
    CAPTURE(text);
    CHECK(utf8::incomplete_tail(text) == 0);
  }
}

TEST_CASE("head and tail cut only between characters") {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";  // lengths 1 2 3 4 1
  const std::vector<std::size_t> heads = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  const std::vector<std::size_t> tails = {0, 1, 1, 1, 1, 5, 5, 5, 8, 8, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < heads.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK(utf8::head(text, bytes) == text.substr(0, heads[bytes]));
    CHECK(utf8::tail(text, bytes) == text.substr(text.size() - tails[bytes]));
  }
}
