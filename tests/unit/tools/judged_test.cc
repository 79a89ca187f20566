// Tools on the paths they were judged by: a link that came afterwards leads nowhere.
#include <unistd.h>

#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

// Judged while `sub` was a directory; run when it is a link out of the workspace.
struct Swap {
  Workspace ws;
  std::string outside = ws.root() + "-outside";

  Swap() {
    ws.put("sub/f", "mine\n");
    ws.put("../ws-outside/f", "secret\n");
  }

  Outcome run(const std::string& tool, const Json& input, const Access& judged) {
    std::filesystem::rename(ws.path("sub"), ws.path("was"));
    std::filesystem::create_directory_symlink(outside, ws.path("sub"));
    CallContext context = ws.context();
    context.judged = &judged;
    preview = ws.tool(tool).preview(input, context);
    Outcome outcome = ws.tool(tool).run(input, context);
    std::filesystem::remove(ws.path("sub"));
    std::filesystem::rename(ws.path("was"), ws.path("sub"));
    return outcome;
  }

  Outcome judged_then_run(const std::string& tool, const Json& input) {
    return run(tool, input, ws.resolved(ws.tool(tool).access(input, ws.root())));
  }

  std::optional<std::string> preview;
};

}  // namespace

TEST_CASE("nothing is read through a link that came after the judgement") {
  Swap swap;
  const std::pair<const char*, Json> calls[] = {
      {"Read", {{"file_path", "sub/f"}}},
      {"Glob", {{"pattern", "*"}, {"path", "sub"}}},
      {"Glob", {{"pattern", "sub/*"}}},
      {"Grep", {{"pattern", "."}, {"path", "sub"}, {"output_mode", "content"}}},
      {"Grep", {{"pattern", "."}, {"path", "sub/f"}, {"output_mode", "content"}}},
  };
  for (const auto& [tool, input] : calls) {
    CAPTURE(tool);
    CHECK_FALSE(swap.ws.call(tool, input).is_error);
    const Outcome outcome = swap.judged_then_run(tool, input);
    CAPTURE(text_of(outcome));
    CHECK_FALSE(says(outcome, "secret"));
    CHECK_FALSE(says(outcome, "sub/f\n"));
    CHECK((outcome.is_error || says(outcome, "No files found")));
  }
}

TEST_CASE("a missing file's relatives are not listed through such a link") {
  Swap swap;
  swap.ws.put("../ws-outside/private", "");
  CHECK_FALSE(says(swap.judged_then_run("Read", {{"file_path", "sub/privat"}}), "private"));
}

TEST_CASE("nothing is written through a link that came after the judgement") {
  Swap swap;
  for (const char* name : {"sub/f", "sub/new", "sub/deep/new"}) {
    CAPTURE(name);
    CHECK(swap.judged_then_run("Write", {{"file_path", name}, {"content", "x"}}).is_error);
    CHECK_FALSE(swap.preview);
    CHECK(swap.judged_then_run("Edit",
                               {{"file_path", name}, {"old_string", "secret"}, {"new_string", "x"}})
              .is_error);
    CHECK_FALSE(swap.preview);
  }
  CHECK(swap.ws.get("../ws-outside/f") == "secret\n");
  CHECK_FALSE(std::filesystem::exists(swap.outside + "/new"));
  CHECK_FALSE(std::filesystem::exists(swap.outside + "/deep"));
}

TEST_CASE("a link that was judged is followed to where it led then, not now") {
  Workspace ws;
  ws.put("a", "judged\n");
  ws.put("b", "other\n");
  REQUIRE(::symlink("a", ws.path("link").c_str()) == 0);
  const Json input = {{"file_path", "link"}};
  const Access judged = ws.resolved(ws.tool("Read").access(input, ws.root()));
  std::filesystem::remove(ws.path("link"));
  REQUIRE(::symlink("b", ws.path("link").c_str()) == 0);
  CallContext context = ws.context();
  context.judged = &judged;
  CHECK(says(ws.tool("Read").run(input, context), "judged"));
}
