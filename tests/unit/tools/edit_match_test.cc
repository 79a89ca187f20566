#include "tools/edit_match.h"

#include <doctest/doctest.h>

#include <string>

using namespace agentd::tools;

namespace {

constexpr std::size_t kNoLimit = std::string::npos;

std::size_t count(const std::string& content, const std::string& old_text) {
  return summary(content, old_text).count;
}

std::string edited_all(const std::string& content, const std::string& old_text,
                       const std::string& new_text) {
  return replace_matches(content, old_text, new_text, kNoLimit).value();
}

// The outcome of an edit that must match once.
std::string edited(const std::string& content, const std::string& old_text,
                   const std::string& new_text) {
  REQUIRE(count(content, old_text) == 1);
  return edited_all(content, old_text, new_text);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the new text is literal") {
  CHECK(edited("log(\"done\");\n", "log(\"done\");", R"(log("$& $1 $$ $` %s \1 \n ok");)") ==
        "log(\"$& $1 $$ $` %s \\1 \\n ok\");\n");
  CHECK(edited("a.b", ".", "*") == "a*b");
}

TEST_CASE("line ends of the file are kept") {
  CHECK(edited("a\r\nb\r\nc\r\n", "a\nb", "a\nX") == "a\r\nX\r\nc\r\n");
  CHECK(edited("a\r\nb\r\nc\r\n", "b", "X\nY") == "a\r\nX\r\nY\r\nc\r\n");
  CHECK(edited("a\r\nb", "b", "X\nY") == "a\r\nX\r\nY");
  CHECK(edited("a\nb\n", "a\r\nb", "X\r\nY") == "X\r\nY\n");
  CHECK(edited("a\nb\n", "a", "X\nY") == "X\nY\nb\n");
}

TEST_CASE("mixed line ends: only the changed region is written") {
  const std::string mixed = "alpha\nbeta\r\ngamma\n";
  CHECK(edited(mixed, "alpha", "ALPHA") == "ALPHA\nbeta\r\ngamma\n");
  CHECK(edited(mixed, "beta\ngamma", "beta\nGAMMA") == "alpha\nbeta\r\nGAMMA\n");
  CHECK(edited(mixed, "alpha\nbeta\ngamma\n", "alpha\nbeta\ngamma\ndelta\n") ==
        "alpha\nbeta\r\ngamma\ndelta\n");
  CHECK(edited(mixed, "alpha\nbeta\ngamma\n", "zero\nalpha\nbeta\ngamma\n") ==
        "zero\nalpha\nbeta\r\ngamma\n");
  CHECK(edited("10%\r50%\r100%\ndone\n", "done", "DONE") == "10%\r50%\r100%\nDONE\n");
}

TEST_CASE("a text that stands once with each line end is ambiguous") {
  CHECK(count("a\nb\nx\na\r\nb\n", "a\nb") == 2);
  CHECK(count("a\nb\nx\na\r\nb\n", "a\r\nb") == 2);
}

TEST_CASE("an old text that names its line ends may change them") {
  CHECK(edited("a\r\nb\r\n", "a\r\nb", "a\nb") == "a\nb\r\n");
}

TEST_CASE("carriage returns of their own") {
  CHECK(edited("x\ry\n", "x\r", "z\r") == "z\ry\n");
  CHECK(edited("x\r\ny\n", "x\r", "z\r") == "z\r\ny\n");
  CHECK(edited("a\r\nb\r\n", "\nb", "\nc") == "a\r\nc\r\n");
}

TEST_CASE("matches do not overlap and are counted") {
  CHECK(count("aaa", "aa") == 1);
  CHECK(count("aaaa", "aa") == 2);
  CHECK(count("abc", "abcd") == 0);
  CHECK(count("", "a") == 0);
  CHECK(edited_all("aXbXc", "X", "--") == "a--b--c");
  CHECK(edited_all("a\r\nX\r\nb\nX\n", "X\n", "Y\nZ\n") == "a\r\nY\r\nZ\r\nb\nY\nZ\n");
}

TEST_CASE("bytes that are not UTF-8 stay") {
  CHECK(edited("\xFF\xFE caf\xE9 name\n", "name", "Name") == "\xFF\xFE caf\xE9 Name\n");
}

TEST_CASE("lines count from 1, each once, the first ten by number") {
  using Lines = std::vector<std::size_t>;
  CHECK(summary("a\nb\nc", "b").lines == Lines{2});
  CHECK(summary("aa\nb\r\naba", "a").lines == Lines{1, 3});
  CHECK(summary("aa\nb\r\naba", "a").count == 4);
  std::string many;
  for (int i = 0; i < 12; ++i) many += "xx\n";
  const MatchSummary found = summary(many, "x");
  CHECK(found.count == 24);
  CHECK(found.distinct_lines == 12);
  CHECK(found.lines == Lines{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("a result above the limit is not made") {
  CHECK(replace_matches("aXa", "a", "bb", 5) == "bbXbb");
  CHECK_FALSE(replace_matches("aXa", "a", "bb", 4));
  CHECK_FALSE(replace_matches("aXa", "X", "bbb", 4));
  CHECK_FALSE(replace_matches(std::string(8 << 20, 'a'), "a", std::string(1000, 'b'), 1 << 20));
}

TEST_CASE("millions of matches with line ends to choose take no square of time") {
  const std::string content = "\r\n" + std::string(1 << 18, 'a');
  CHECK(edited_all(content, "a", "b\n").size() == 2 + 3 * (1 << 18));
}

TEST_CASE("why a text was not found") {
  const std::string file = "int main() {\n\treturn 0;\n}\n// it\xE2\x80\x99s here\n";
  CHECK(says(why_not_found(file, "int main() {\n    return 0;\n}"), "from line 1"));
  CHECK(says(why_not_found(file, "    return 0;"), "different white space"));
  CHECK(says(why_not_found(file, "// it's here"), "line 4"));
  CHECK(says(why_not_found(file, "     1\tint main() {\n     2\t\treturn 0;"), "line numbers"));
  CHECK(says(why_not_found(file, "int main() {\n\treturn 1;\n}"),
             "line 2 of the file is `\treturn 0;`"));
  CHECK(says(why_not_found(file, "// it\xE2\x80\x99s here\nand more"), "where the file ends"));
  CHECK(says(why_not_found(file, "nothing like it"), "Not even its first line"));
  CHECK(says(why_not_found(file, "main() {\n  int x;"), "only a part of line 1"));
  CHECK(says(why_not_found("", "x"), "empty"));
  CHECK_FALSE(why_not_found("a\n", " \n ").empty());
}

TEST_CASE("a file of equal lines does not take for ever") {
  std::string file;
  std::string wanted;
  for (int i = 0; i < 100'000; ++i) file += "x\n";
  for (int i = 0; i < 50'000; ++i) wanted += "x\n";
  CHECK_FALSE(why_not_found(file, wanted + "y").empty());
}
