// Which names a matcher takes, and which matchers are refused.
#include "hooks/matcher.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::hooks;

TEST_CASE("what matches what") {
  struct Row {
    std::string matcher;
    std::vector<std::string> takes;
    std::vector<std::string> leaves;
  };
  const std::vector<Row> rows = {
      {"", {"Bash", "anything", ""}, {}},
      {"*", {"Bash", "anything", ""}, {}},
      {"  ", {"Bash"}, {}},
      {"Bash", {"Bash"}, {"bash", "BashOutput", "Bas", "", "xBash"}},
      {"Bash|Edit", {"Bash", "Edit"}, {"Bash|Edit", "MultiEdit", ""}},
      {" Bash , Edit| Write ", {"Bash", "Edit", "Write"}, {" Bash ", "Read"}},
      {"Bash|", {"Bash"}, {"", "Edit"}},
      {"mcp__git-hub__x", {"mcp__git-hub__x"}, {"mcp__git-hub__xy"}},
      {"mcp__.*", {"mcp__", "mcp__a__b", "xmcp__a"}, {"Bash"}},
      {"mcp__.*__write.*", {"mcp__fs__write", "mcp__fs__write_all"}, {"mcp__fs__read"}},
      {"Edit.*", {"Edit", "EditAll", "NotebookEdit"}, {"Read"}},
      {"^Edit.*", {"Edit", "EditAll"}, {"NotebookEdit"}},
      {"^mcp__", {"mcp__a__b"}, {"xmcp__a"}},
      {".*Edit$", {"Edit", "NotebookEdit"}, {"EditAll"}},
      {"^Bash$", {"Bash"}, {"BashOutput", "xBash"}},
      {"Notebook.*", {"NotebookEdit", "Notebook"}, {"Note"}},
      {"(Edit|Write)", {"Edit", "Write", "EditWrite"}, {"Read", ""}},
      {"^(Multi)?Edit$", {"Edit", "MultiEdit"}, {"Multi", "NotebookEdit"}},
      {"^(Ba|Bash.*)$", {"Ba", "Bash", "Bashful"}, {"Bas"}},
      {"[BE].+", {"Bash", "Edit"}, {"B", "Read"}},
      {"^[^B].*", {"Edit"}, {"Bash", ""}},
      {"^\\w+$", {"Bash", "a_1"}, {"a-b", ""}},
      {"a\\.b", {"a.b"}, {"axb"}},
      {".*", {"Bash", ""}, {}},
      {"startup|resume", {"startup", "resume"}, {"clear"}},
  };
  for (const Row& row : rows) {
    const auto matcher = Matcher::parse(row.matcher);
    REQUIRE_MESSAGE(matcher, row.matcher);
    for (const auto& name : row.takes)
      CHECK_MESSAGE(matcher->matches(name), row.matcher, ": ", name);
    for (const auto& name : row.leaves)
      CHECK_MESSAGE(!matcher->matches(name), row.matcher, ": ", name);
  }
}

TEST_CASE("refused, with a reason") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"Bash(", "("},
      {"[a", "["},
      {"*Bash", ""},
      {"a**+?(", ""},
      {"(?!Bash).*", ""},
      {"\\d+", "\\d is not supported"},
      {"(a)\\1", "\\1 is not supported"},
      {"a{1,5000}", "counted repetition"},
      {"((a{255}){255}){255}", "counted repetition"},
      {"[\\w-]+x", "backslash in a character class"},
      {"x.\\", "ends in a backslash"},
      {" | , ", "names nothing"},
      {std::string("a.\0b", 4), "NUL"},
      {std::string(kMaxMatcher + 1, 'a'), "longer than"},
  };
  for (const auto& [text, reason] : rows) {
    CAPTURE(text);
    const auto matcher = Matcher::parse(text);
    REQUIRE_FALSE(matcher);
    CHECK(matcher.error().code == Code::invalid_input);
    CHECK_FALSE(matcher.error().message.empty());
    CHECK(matcher.error().message.find(reason) != std::string::npos);
  }
}

TEST_CASE("copies share what was compiled") {
  Matcher copy;
  {
    const Matcher original = Matcher::parse("mcp__.*").value();
    copy = original;
  }
  CHECK(copy.matches("mcp__a"));
  CHECK_FALSE(copy.matches("Bash"));
}
