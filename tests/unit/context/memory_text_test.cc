// The text of a memory file: what counts as an import, and what as a comment.
#include "context/memory_text.h"

#include <doctest/doctest.h>

using agentd::context::imported_paths;
using agentd::context::without_comments;
using Paths = std::vector<std::string>;

TEST_CASE("what is an import and what is not") {
  const struct {
    const char* text;
    Paths paths;
  } rows[] = {
      {"", {}},
      {"@AGENTS.md", {"AGENTS.md"}},
      {"See @docs/a.md and @~/mine.md.", {"docs/a.md", "~/mine.md"}},
      {"(@a.md), \"@b.md\"; *@c.md*", {"a.md", "b.md", "c.md"}},
      {"@a.md\r\n@b.md\r\n", {"a.md", "b.md"}},
      {"@a.md @a.md", {"a.md"}},
      {"@with\\ space.md x", {"with space.md"}},
      {"@/abs/x.md?", {"/abs/x.md"}},
      {"@../up.md", {"../up.md"}},
      {"mail me@example.com", {}},
      {"ask @alice, or @ nobody, or @.", {}},
      {"`@a.md` and ``x ` @b.md`` @c.md", {"c.md"}},
      {"a lone ` before @a.md", {"a.md"}},
      {"```\n@a.md\n```\n@b.md", {"b.md"}},
      {"~~~ sh\n@a.md\n```\n@b.md\n~~~~\n@c.md", {"c.md"}},
      {"````\n@a.md\n```\n@b.md\n````\n@c.md", {"c.md"}},
      {"```\n@a.md", {}},
      {"    ```\n@a.md", {"a.md"}},
      {"```x``` @a.md", {"a.md"}},
      {"@a.md`code`", {"a.md"}},
      {"@@a.md", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(imported_paths(row.text) == row.paths);
  }
}

TEST_CASE("comments that begin a line go, code and what stands in a line does not") {
  const struct {
    const char* text;
    const char* left;
  } rows[] = {
      {"", ""},
      {"a\nb", "a\nb"},
      {"a\nb\n", "a\nb\n"},
      {"<!-- x -->\na\n", "a\n"},
      {"a\n  <!-- x\ny\n\nz --> \nb", "a\nb"},
      {"<!-- x --> a\n", " a\n"},
      {"<!-- x\ny --> a\n", " a\n"},
      {"a <!-- x -->\n", "a <!-- x -->\n"},
      {"    <!-- x -->\n", "    <!-- x -->\n"},
      {"```\n<!-- x -->\n```\n<!-- y -->\n", "```\n<!-- x -->\n```\n"},
      {"<!-- x\n```\n-->\na\n<!-- y -->\n", "a\n"},
      {"a\n<!-- x\nb\n", "a\n"},
      {"<!-- x -->", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(without_comments(row.text) == row.left);
  }
}
