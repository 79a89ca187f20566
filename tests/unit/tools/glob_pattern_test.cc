#include "tools/glob_pattern.h"

#include <doctest/doctest.h>

#include <string>

using namespace agentd::tools;

namespace {

bool matches(const std::string& pattern, const std::string& path) {
  const auto parsed = GlobPattern::parse(pattern);
  REQUIRE(parsed);
  return parsed->matches(path);
}

}  // namespace

TEST_CASE("names match at any depth, paths from the root") {
  CHECK(matches("*.ts", "a.ts"));
  CHECK(matches("*.ts", "src/deep/a.ts"));
  CHECK_FALSE(matches("*.ts", "a.tsx"));
  CHECK(matches("src/*.ts", "src/a.ts"));
  CHECK_FALSE(matches("src/*.ts", "src/deep/a.ts"));
  CHECK_FALSE(matches("src/*.ts", "other/src/a.ts"));
  CHECK(matches("/*.ts", "a.ts"));
  CHECK_FALSE(matches("/*.ts", "src/a.ts"));
  CHECK(matches("./a.ts", "a.ts"));
}

TEST_CASE("double stars span directories, none included") {
  CHECK(matches("**/*.ts", "a.ts"));
  CHECK(matches("src/**/*.ts", "src/a.ts"));
  CHECK(matches("src/**/*.ts", "src/x/y/a.ts"));
  CHECK(matches("src/**", "src/x/y"));
  CHECK_FALSE(matches("src/**", "src"));
  CHECK(matches("**/a/**/b", "x/a/y/a/z/b"));
  CHECK_FALSE(matches("**/a/**/b", "x/b/a"));
  CHECK(matches("**", "anything/at/all"));
}

TEST_CASE("classes, braces and quotes") {
  CHECK(matches("[a-c]?[!x]", "b1y"));
  CHECK_FALSE(matches("[a-c]?[!x]", "b1x"));
  CHECK_FALSE(matches("[a-c]?[!x]", "d1y"));
  CHECK(matches("[]]", "]"));
  CHECK(matches("*.{c,h{,h}}", "x.hh"));
  CHECK(matches("*.{c,h{,h}}", "x.h"));
  CHECK_FALSE(matches("*.{c,h{,h}}", "x.cc"));
  CHECK(matches("{a,b}/**/[!x]?", "b/deep/y1"));
  CHECK_FALSE(matches("{a,b}/**/[!x]?", "c/y1"));
  CHECK(matches("{src/a,lib}/x", "src/a/x"));
  CHECK(matches("\\*.ts", "*.ts"));
  CHECK_FALSE(matches("\\*.ts", "a.ts"));
  CHECK(matches("a,b", "a,b"));
}

TEST_CASE("a question mark is one character, not one byte") {
  CHECK(matches("?.txt", "\xC3\xA9.txt"));
  CHECK_FALSE(matches("??.txt", "\xC3\xA9.txt"));
  CHECK(matches("[\xC3\xA0-\xC3\xBF].txt", "\xC3\xA9.txt"));
}

TEST_CASE("faults are told") {
  CHECK_FALSE(GlobPattern::parse("a[b"));
  CHECK_FALSE(GlobPattern::parse("a{b,c"));
  CHECK_FALSE(GlobPattern::parse("{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}"));
  CHECK(GlobPattern::parse("a{b,c").error().message.find("unclosed `{`") != std::string::npos);
}

TEST_CASE("long patterns and many braces are refused, not expanded") {
  std::string braces;
  for (int i = 0; i < 30'000; ++i) braces += "{}";
  CHECK(GlobPattern::parse(braces).error().message.find("longer than 4096") != std::string::npos);
  CHECK(GlobPattern::parse(braces.substr(0, 4000)).error().message.find("more than 64 braces") !=
        std::string::npos);
  CHECK(GlobPattern::parse(braces.substr(0, 128) + "a")->matches("a"));
  CHECK(GlobPattern::parse(std::string(4096, 'a')));
  CHECK_FALSE(GlobPattern::parse(std::string(4097, 'a')));
  const std::string nested = std::string(2000, '{') + std::string(2000, '}');
  CHECK_FALSE(GlobPattern::parse(nested));
}

TEST_CASE("many stars do not take for ever") {
  const std::string name(5000, 'a');
  CHECK_FALSE(matches("*a*a*a*a*a*a*a*a*b", name));
  std::string path = "a";
  for (int i = 0; i < 2000; ++i) path += "/a";
  CHECK_FALSE(matches("**/a/**/a/**/a/**/a/**/b", path));
}

TEST_CASE("the root is what needs no matching") {
  const auto root = [](const char* pattern) { return split_root(pattern); };
  CHECK(root("*.ts").directory.empty());
  CHECK(root("a.ts").directory.empty());
  CHECK(root("src/a/**/*.ts").directory == "src/a");
  CHECK(root("src/a/**/*.ts").pattern == "/**/*.ts");
  CHECK(root("/tmp/x/*.png").directory == "/tmp/x");
  CHECK(root("/*.png").directory == "/");
  CHECK(root("../*.png").directory == "..");
  CHECK(root("{a,b}/c/*").directory.empty());
  CHECK(root("~/x/*").directory == "~/x");
}
