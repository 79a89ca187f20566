// Write and Edit on the real disk.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

void read(Workspace& ws, const std::string& name) {
  REQUIRE_FALSE(ws.call("Read", {{"file_path", name}}).is_error);
}

Outcome edit(Workspace& ws, const std::string& name, const std::string& old_string,
             const std::string& new_string, bool all = false) {
  return ws.call("Edit", {{"file_path", name},
                          {"old_string", old_string},
                          {"new_string", new_string},
                          {"replace_all", all}});
}

Outcome write(Workspace& ws, const std::string& name, const std::string& content) {
  return ws.call("Write", {{"file_path", name}, {"content", content}});
}

}  // namespace

TEST_CASE("new files are created freely, with their directories") {
  Workspace ws;
  const Outcome outcome = write(ws, "a/b/c.txt", "one\ntwo");
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome) == "Created " + ws.path("a/b/c.txt") + " (2 lines).");
  CHECK(ws.get("a/b/c.txt") == "one\ntwo");
  CHECK(outcome.details["created"] == true);
  CHECK(says(outcome.details["diff"].get<std::string>(), "--- /dev/null\n+++ b/a/b/c.txt\n"));
  CHECK_FALSE(write(ws, "a/b/c.txt", "three\n").is_error);  // ours: known
  CHECK_FALSE(edit(ws, "a/b/c.txt", "three", "four").is_error);
  CHECK(ws.get("a/b/c.txt") == "four\n");
}

TEST_CASE("an existing file must have been read") {
  Workspace ws;
  ws.put("f", "content\n");
  CHECK(says(write(ws, "f", "x"), "has not been read in this session"));
  CHECK(says(edit(ws, "f", "content", "x"), "has not been read in this session"));
  CHECK(ws.get("f") == "content\n");
  read(ws, "f");
  CHECK_FALSE(edit(ws, "f", "content", "x").is_error);
  CHECK_FALSE(edit(ws, "f", "x", "y").is_error);
  CHECK_FALSE(write(ws, "f", "z\n").is_error);
  CHECK(ws.get("f") == "z\n");
}

TEST_CASE("a file that changed since must be read again") {
  Workspace ws;
  ws.put("f", "aaaa\n");
  read(ws, "f");
  ws.put("f", "bbbb\n");  // same size, likely the same second
  CHECK(says(edit(ws, "f", "bbbb", "x"), "has changed on disk"));
  CHECK(says(write(ws, "f", "x"), "has changed on disk"));
  CHECK(ws.get("f") == "bbbb\n");
  read(ws, "f");
  CHECK_FALSE(edit(ws, "f", "bbbb", "x").is_error);
  ws.put("f", "x\n");  // touched, not changed
  CHECK_FALSE(edit(ws, "f", "x", "y").is_error);
}

TEST_CASE("a partial view is enough for Edit, not for Write") {
  Workspace ws;
  ws.put("f", "one\ntwo\nthree\n");
  REQUIRE_FALSE(ws.call("Read", {{"file_path", "f"}, {"limit", 1}}).is_error);
  CHECK(says(write(ws, "f", "x"), "Only a part"));
  CHECK_FALSE(edit(ws, "f", "one", "1").is_error);
  CHECK(says(write(ws, "f", "x"), "Only a part"));
  read(ws, "f");
  CHECK_FALSE(edit(ws, "f", "1", "one").is_error);
  CHECK_FALSE(write(ws, "f", "x").is_error);
}

TEST_CASE("one file by another name is the same file") {
  Workspace ws;
  ws.put("d/f", "x\n");
  REQUIRE(::symlink("d/f", ws.path("link").c_str()) == 0);
  read(ws, "link");
  CHECK_FALSE(edit(ws, "./d/../d/f", "x", "y").is_error);
  CHECK_FALSE(edit(ws, "link", "y", "z").is_error);
  CHECK(ws.get("d/f") == "z\n");
  CHECK(std::filesystem::is_symlink(ws.path("link")));
}

TEST_CASE("mode, byte order mark, line ends and a missing final line end stay") {
  Workspace ws;
  ws.put("script", "\xEF\xBB\xBF#!/bin/sh\r\necho hi");
  REQUIRE(::chmod(ws.path("script").c_str(), 0755) == 0);
  read(ws, "script");
  CHECK_FALSE(edit(ws, "script", "#!/bin/sh\necho hi", "#!/bin/sh\necho ho").is_error);
  CHECK(ws.get("script") == "\xEF\xBB\xBF#!/bin/sh\r\necho ho");
  struct stat status{};
  REQUIRE(::stat(ws.path("script").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0755);

  const Outcome over = write(ws, "script", "a\nb\n");
  CHECK(ws.get("script") ==
        "\xEF\xBB\xBF"
        "a\r\nb\r\n");
  CHECK(says(over, "CRLF"));
  CHECK(says(over, "byte order mark"));
  REQUIRE(::stat(ws.path("script").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0755);

  ws.put("plain", "a\n");
  read(ws, "plain");
  REQUIRE_FALSE(write(ws, "plain", "b").is_error);
  CHECK(ws.get("plain") == "b");
}

TEST_CASE("replacement text is literal") {
  Workspace ws;
  ws.put("f.js", "log(\"done\");\n");
  read(ws, "f.js");
  CHECK_FALSE(edit(ws, "f.js", "log(\"done\");", "log(\"$& $1 $$ %d \\1 ok\");").is_error);
  CHECK(ws.get("f.js") == "log(\"$& $1 $$ %d \\1 ok\");\n");
}

TEST_CASE("a text that is not unique is an error that counts and locates") {
  Workspace ws;
  ws.put("f", "x = 1\ny\nx = 1\nz\nx = 1\n");
  read(ws, "f");
  const Outcome outcome = edit(ws, "f", "x = 1", "x = 2");
  CHECK(outcome.is_error);
  CHECK(says(outcome, "found 3 times"));
  CHECK(says(outcome, "lines 1, 3 and 5"));
  CHECK(ws.get("f") == "x = 1\ny\nx = 1\nz\nx = 1\n");
  const Outcome all = edit(ws, "f", "x = 1", "x = 2", true);
  CHECK(says(all, "3 replacements on lines 1, 3 and 5"));
  CHECK(ws.get("f") == "x = 2\ny\nx = 2\nz\nx = 2\n");
}

TEST_CASE("an edit that would make a file too large is refused") {
  Workspace ws;
  ws.put("f", std::string(100'000, 'a') + "\n");
  read(ws, "f");
  const Outcome outcome = edit(ws, "f", "a", std::string(1000, 'b'), true);
  CHECK(outcome.is_error);
  CHECK(says(outcome, "larger than 16.0 MB: 100000 replacements. Nothing was changed."));
  const Outcome twice = edit(ws, "f", "a", "b");
  CHECK(says(twice, "found 100000 times in " + ws.path("f") + ", on line 1."));
}

TEST_CASE("a text that is not there gets a hint") {
  Workspace ws;
  ws.put("f", "\tindented\n");
  read(ws, "f");
  const Outcome outcome = edit(ws, "f", "    indented", "x");
  CHECK(outcome.is_error);
  CHECK(says(outcome, "different white space"));
  CHECK(says(edit(ws, "missing.txt", "a", "b"), "does not exist"));
}

TEST_CASE("an empty old text creates a file or fills an empty one, nothing else") {
  Workspace ws;
  CHECK_FALSE(edit(ws, "new", "", "content\n").is_error);
  CHECK(ws.get("new") == "content\n");
  for (const bool all : {false, true}) {
    CHECK(says(edit(ws, "new", "", "more", all), "old_string is empty"));
  }
  CHECK(ws.get("new") == "content\n");
  ws.put("empty", "");
  CHECK(says(edit(ws, "empty", "", "x"), "has not been read"));
  read(ws, "empty");
  CHECK_FALSE(edit(ws, "empty", "", "x", true).is_error);
  CHECK(ws.get("empty") == "x");
  CHECK(says(ws.refusal("Edit", {{"file_path", "f"}, {"old_string", ""}, {"new_string", ""}}),
             "new_string"));
  CHECK(says(ws.refusal("Edit", {{"file_path", "f"}, {"old_string", "a"}, {"new_string", "a"}}),
             "the same as old_string"));
}

TEST_CASE("files that must not be rewritten") {
  Workspace ws;
  ws.put("utf16", std::string("\xFF\xFEh\0i\0", 6));
  CHECK(edit(ws, "utf16", "h", "x").is_error);
  CHECK(says(write(ws, "utf16", "x"), "which is not text"));
  CHECK(ws.get("utf16").size() == 6);
  REQUIRE(::mkfifo(ws.path("pipe").c_str(), 0600) == 0);
  CHECK(says(write(ws, "pipe", "x"), "named pipe"));
  CHECK(says(write(ws, ".", "x"), "directory"));
  ws.put("file", "x");
  CHECK(write(ws, "file/below", "x").is_error);
  CHECK(says(ws.refusal("Write", {{"file_path", "dir/"}, {"content", ""}}), "names a directory"));
}

TEST_CASE("a write of what is there writes nothing") {
  Workspace ws;
  ws.put("f", "same\n");
  read(ws, "f");
  CHECK(says(write(ws, "f", "same\n"), "nothing was written"));
}

TEST_CASE("after a stop request nothing is written") {
  Workspace ws;
  ws.stop().request_stop();
  const Outcome outcome = write(ws, "f", "x");
  CHECK(outcome.is_error);
  CHECK(says(outcome, "Interrupted"));
  CHECK_FALSE(std::filesystem::exists(ws.path("f")));
}

TEST_CASE("no temporary file is left beside the target") {
  Workspace ws;
  REQUIRE_FALSE(write(ws, "only", "x").is_error);
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(ws.root()))
    ++entries;
  CHECK(entries == 1);
}

TEST_CASE("the preview is the diff of the change, before anything is read or written") {
  Workspace ws;
  ws.put("f", "one\ntwo\n");
  const auto preview = ws.tool("Edit").preview(
      {{"file_path", "f"}, {"old_string", "two"}, {"new_string", "2"}}, ws.context());
  REQUIRE(preview);
  CHECK(*preview == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  const auto created =
      ws.tool("Write").preview({{"file_path", "g"}, {"content", "x\n"}}, ws.context());
  REQUIRE(created);
  CHECK(*created == "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+x\n");
  CHECK_FALSE(ws.tool("Edit").preview(
      {{"file_path", "f"}, {"old_string", "none"}, {"new_string", "2"}}, ws.context()));
  CHECK_FALSE(ws.tool("Bash").preview({{"command", "ls"}}, ws.context()));
  CHECK(ws.get("f") == "one\ntwo\n");
}

TEST_CASE("what a change would touch") {
  Workspace ws;
  for (const char* name : {"Write", "Edit"}) {
    const Json input = {
        {"file_path", "../x"}, {"content", ""}, {"old_string", "a"}, {"new_string", ""}};
    CHECK(ws.tool(name).access(input, "/ws").writes == std::vector<std::string>{"/ws/../x"});
    CHECK_FALSE(ws.tool(name).safe(input));
  }
}
