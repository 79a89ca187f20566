#include "base/unified_diff.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"

using namespace agentd;

namespace {

// Applies a diff of ours to `before`: what any patch program would make of it.
std::string applied(const std::string& before, const std::string& diff) {
  std::vector<std::string> old_lines;
  for (std::size_t at = 0; at < before.size();) {
    const std::size_t end = before.find('\n', at);
    const std::size_t next = end == std::string::npos ? before.size() : end + 1;
    old_lines.push_back(before.substr(at, next - at));
    at = next;
  }
  std::string out;
  std::size_t at_line = 0;
  std::size_t at = diff.find("\n+++");
  at = diff.find('\n', at + 1) + 1;
  while (at < diff.size()) {
    const std::size_t end = diff.find('\n', at);
    std::string line = diff.substr(at, end - at + 1);
    at = end + 1;
    if (line[0] == '@') {
      const std::size_t comma = line.find_first_of(", ", 4);
      const auto number = static_cast<std::size_t>(std::stoul(line.substr(4, comma - 4)));
      const bool empty = line[comma] == ',' && line[comma + 1] == '0';
      const std::size_t begin = empty ? number : number - 1;
      while (at_line < begin) out += old_lines.at(at_line++);
      continue;
    }
    const bool open = diff.compare(at, 2, "\\ ") == 0;
    if (open) at = diff.find('\n', at) + 1;
    std::string text = line.substr(1);
    if (open) text.pop_back();
    if (line[0] != '+') {
      REQUIRE(old_lines.at(at_line) == text);
      ++at_line;
    }
    if (line[0] != '-') out += text;
  }
  while (at_line < old_lines.size()) out += old_lines[at_line++];
  return out;
}

}  // namespace

TEST_CASE("a change in the middle has three lines of context") {
  const Diff diff =
      unified_diff("/a/b.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n");
  CHECK(diff.text ==
        "--- a/a/b.txt\n+++ b/a/b.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
  CHECK(diff.added == 1);
  CHECK(diff.removed == 1);
}

TEST_CASE("distant changes are two hunks, close ones share one") {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += std::to_string(i) + "\n";
  std::string far = before;
  far.replace(far.find("2\n"), 2, "two\n");
  far.replace(far.find("29\n"), 3, "twenty-nine\n");
  const std::string two = unified_diff("f", before, far).text;
  CHECK(two.find("@@ -1,5 +1,5 @@") != std::string::npos);
  CHECK(two.find("@@ -26,5 +26,5 @@") != std::string::npos);

  std::string near = before;
  near.replace(near.find("10\n"), 3, "ten\n");
  near.replace(near.find("16\n"), 3, "sixteen\n");
  const std::string one = unified_diff("f", before, near).text;
  CHECK(one.find("@@ -7,13 +7,13 @@") != std::string::npos);
  CHECK(one.find("@@", one.find("@@ -7") + 18) == std::string::npos);
}

TEST_CASE("new files, emptied files, no final line end") {
  CHECK(unified_diff("n", "", "a\nb\n", true).text ==
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(unified_diff("n", "a\n", "").text == "--- a/n\n+++ b/n\n@@ -1 +0,0 @@\n-a\n");
  CHECK(unified_diff("n", "a\nb", "a\nb\n").text ==
        "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
  CHECK(unified_diff("n", "a\nb", "a\nc").text ==
        "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
        "\\ No newline at end of file\n");
  CHECK(unified_diff("n", "same", "same").text.empty());
  CHECK(unified_diff("n", "a\r\n", "a\n").text == "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\r\n+a\n");
}

TEST_CASE("the script is minimal") {
  // The example of Myers' paper: five edits.
  const Diff diff = unified_diff("f", "A\nB\nC\nA\nB\nB\nA\n", "C\nB\nA\nB\nA\nC\n");
  CHECK(diff.added + diff.removed == 5);
}

TEST_CASE("random texts: the diff turns one into the other") {
  std::mt19937 random(20251129);
  const auto text = [&](int lines) {
    std::string out;
    for (int i = 0; i < lines; ++i)
      out += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    if (!out.empty() && random() % 3 == 0) out.pop_back();
    return out;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string before = text(static_cast<int>(random() % 14));
    const std::string after = text(static_cast<int>(random() % 14));
    CAPTURE(before);
    CAPTURE(after);
    const Diff diff = unified_diff("f", before, after);
    if (before == after) {
      CHECK(diff.text.empty());
    } else {
      REQUIRE(applied(before, diff.text) == after);
    }
  }
}

TEST_CASE("texts that share nothing are one block for another, in bounded time and size") {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  const Diff block = unified_diff("f", before, after);
  CHECK(block.added == 5000);
  CHECK(block.removed == 5000);
  CHECK(applied(before, block.text) == after);

  std::string long_text;
  for (int i = 0; i < 40'000; ++i) long_text += "line " + std::to_string(i) + "\n";
  const Diff cut = unified_diff("f", "", long_text, true);
  CHECK(cut.added == 40'000);
  CHECK(cut.text.size() < 130 * 1024);
  CHECK(cut.text.find("left out") != std::string::npos);
}

TEST_CASE("bytes that are not UTF-8 do not leave") {
  CHECK(agentd::utf8::valid(unified_diff("f", "\xFF\n", "\xFE\n").text));
}
