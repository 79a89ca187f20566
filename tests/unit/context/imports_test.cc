// Imports: what counts as one in a memory file.
#include "context/imports.h"

#include <doctest/doctest.h>

using agentd::context::imported_paths;
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
