// Glob and Grep with the real ripgrep; its absence and odd ends with a stand-in.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

// Answers every command as told.
class FixedCommands final : public platform::Commands {
 public:
  explicit FixedCommands(Result<platform::CommandEnd> end) : end_(std::move(end)) {}
  Result<platform::CommandEnd> run(platform::CommandSpec spec, std::stop_token) override {
    spec_ = std::move(spec);
    return end_;
  }
  void end_session(const std::string&) override {}
  const platform::CommandSpec& spec() const { return spec_; }

 private:
  Result<platform::CommandEnd> end_;
  platform::CommandSpec spec_;
};

platform::CommandEnd ended(int exit_code, const std::string& output, const std::string& error) {
  platform::CommandEnd end;
  end.exit_code = exit_code;
  end.standard_output.head = output;
  end.standard_output.total_bytes = output.size();
  end.standard_error.head = error;
  end.standard_error.total_bytes = error.size();
  return end;
}

void date(const std::string& path, long seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

Outcome glob(Workspace& ws, const std::string& pattern, const std::string& path = "") {
  Json input = {{"pattern", pattern}};
  if (!path.empty()) input["path"] = path;
  return ws.call("Glob", input);
}

}  // namespace

TEST_CASE("Glob lists files newest first, ignored ones not") {
  Workspace ws;
  for (const char* name : {"old.ts", "src/new.ts", "src/.hidden.ts", "ignored/x.ts", "skip.ts",
                           ".git/x.ts", "src/other.js"}) {
    ws.put(name, "x");
  }
  ws.put(".gitignore", "ignored/\nskip.ts\n");
  date(ws.path("old.ts"), 1000);
  date(ws.path("src/.hidden.ts"), 2000);
  date(ws.path("src/new.ts"), 3000);
  const Outcome outcome = glob(ws, "*.ts");
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome) ==
        ws.path("src/new.ts") + "\n" + ws.path("src/.hidden.ts") + "\n" + ws.path("old.ts"));
  CHECK(text_of(glob(ws, "src/*.js")) == ws.path("src/other.js"));
  CHECK(text_of(glob(ws, "*.js", "src")) == ws.path("src/other.js"));
  CHECK(text_of(glob(ws, ws.path("src/*.js"), "/")) == ws.path("src/other.js"));
  CHECK(text_of(glob(ws, "{src,lib}/**/[!n]*.js")) == ws.path("src/other.js"));
}

TEST_CASE("Glob caps and says so") {
  Workspace ws;
  for (int i = 0; i < 130; ++i) ws.put("f" + std::to_string(i) + ".txt", "");
  const Outcome outcome = glob(ws, "*.txt");
  CHECK(says(outcome, "(the newest 100 of 130 files"));
  CHECK(outcome.details["truncated"] == true);
  CHECK(outcome.details["files"] == 130);
}

TEST_CASE("Glob: nothing found, bad directories, links that loop") {
  Workspace ws;
  ws.put("a/b.txt", "");
  REQUIRE(::symlink("..", ws.path("a/loop").c_str()) == 0);
  const Outcome none = glob(ws, "*.rs");
  CHECK_FALSE(none.is_error);
  CHECK(says(none, "No files found"));
  CHECK_FALSE(glob(ws, "nowhere/*.rs").is_error);
  CHECK(text_of(glob(ws, "**/b.txt")) == ws.path("a/b.txt"));
  const Outcome missing = glob(ws, "*", "nowhere");
  CHECK(missing.is_error);
  CHECK(says(missing, "does not exist"));
  CHECK(says(glob(ws, "*", "a/b.txt"), "not a directory"));
  CHECK(says(ws.refusal("Glob", {{"pattern", "a{b"}}), "unclosed"));
  CHECK(says(ws.refusal("Glob", {{"pattern", ""}}), "must not be empty"));
}

TEST_CASE("Glob names the directory that it really reads") {
  Workspace ws;
  const auto reads = [&](const Json& input) { return ws.tool("Glob").access(input, "/ws").reads; };
  CHECK(reads({{"pattern", "*.ts"}}) == std::vector<std::string>{"/ws"});
  CHECK(reads({{"pattern", "/etc/*"}}) == std::vector<std::string>{"/etc"});
  CHECK(reads({{"pattern", "../x/*"}}) == std::vector<std::string>{"/ws/../x"});
  CHECK(reads({{"pattern", "x/*"}, {"path", "/a"}}) == std::vector<std::string>{"/a/x"});
  // Past a wildcard nothing leads out: `..` matches no listed name.
  ws.put("sub/x", "");
  CHECK(says(glob(ws, "*/../../**"), "No files found"));
}

TEST_CASE("Grep lists files, lines and counts") {
  Workspace ws;
  ws.put("a.txt", "one\ntwo needle\nthree\n");
  ws.put("b/c.txt", "needle\nneedle again\n");
  date(ws.path("a.txt"), 2000);
  date(ws.path("b/c.txt"), 1000);
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}})) == "a.txt\nb/c.txt");
  const Json content = {{"pattern", "needle"}, {"output_mode", "content"}};
  CHECK(text_of(ws.call("Grep", content)) ==
        "a.txt:2:two needle\nb/c.txt:1:needle\nb/c.txt:2:needle again");
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}, {"output_mode", "count"}})) ==
        "a.txt:1\nb/c.txt:2\n(3 matching lines in 2 files)");
  CHECK(text_of(ws.call("Grep", {{"pattern", "TWO"},
                                 {"-i", "true"},
                                 {"-n", false},
                                 {"-A", "1"},
                                 {"output_mode", "content"}})) == "a.txt:two needle\na.txt-three");
  CHECK(text_of(ws.call("Grep", {{"pattern", "ne+d"},
                                 {"-o", true},
                                 {"path", "b/c.txt"},
                                 {"output_mode", "content"}})) == "b/c.txt:1:need\nb/c.txt:2:need");
  CHECK(text_of(ws.call("Grep", {{"pattern", "one.*three"}, {"multiline", true}})) == "a.txt");
  ws.set_cwd(ws.path("b"));
  CHECK(text_of(ws.call("Grep", {{"pattern", "two"}, {"path", ".."}})) == ws.path("a.txt"));
}

TEST_CASE("Grep respects .gitignore with and without globs") {
  Workspace ws;
  ws.put(".gitignore", "*.log\n");
  for (const char* name : {"x.log", "x.ts", "d/y.ts", "d/z.js", ".git/x.ts", ".hidden.ts"}) {
    ws.put(name, "needle\n");
    date(ws.path(name), 1000);
  }
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}})) == ".hidden.ts\nd/y.ts\nd/z.js\nx.ts");
  CHECK(says(ws.call("Grep", {{"pattern", "needle"}, {"glob", "*.log"}}), "No matches"));
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}, {"glob", "*.{log,js}, *.rs"}})) ==
        "d/z.js");
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}, {"glob", "d/*.ts"}})) == "d/y.ts");
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}, {"glob", "!*.ts"}})) == "d/z.js");
  CHECK(text_of(ws.call("Grep", {{"pattern", "needle"}, {"type", "js"}})) == "d/z.js");
}

TEST_CASE("Grep pages") {
  Workspace ws;
  std::string text;
  for (int i = 1; i <= 600; ++i) text += "row " + std::to_string(i) + "\n";
  ws.put("f", text);
  const Json base = {{"pattern", "row"}, {"output_mode", "content"}};
  const Outcome first = ws.call("Grep", base);
  CHECK(says(first, "f:250:row 250\n"));
  CHECK_FALSE(says(first, "f:251:"));
  CHECK(says(first, "(lines 1 to 250 of 600; to go on, use offset 250)"));
  Json next = base;
  next["offset"] = 599;
  CHECK(text_of(ws.call("Grep", next)) == "f:600:row 600\n(lines 600 to 600 of 600)");
  next["offset"] = 1000;
  CHECK(says(ws.call("Grep", next), "no entries at this offset: there are 600 lines"));
  Json all = base;
  all["head_limit"] = 0;
  CHECK(says(ws.call("Grep", all), "f:600:row 600"));
  ws.put("wide", std::string(100'000, 'w') + "\n");
  CHECK(text_of(ws.call("Grep", {{"pattern", "w"}, {"path", "wide"}, {"output_mode", "content"}}))
            .size() < 3000);
}

TEST_CASE("Grep: patterns that begin with a dash, bad patterns, no match") {
  Workspace ws;
  ws.put("f", "-v flag\n");
  CHECK(text_of(ws.call("Grep", {{"pattern", "-v"}})) == "f");
  CHECK(text_of(ws.call("Grep", {{"pattern", "--files"}})) == "No matches found.");
  ws.put("-dash", "-v\n");
  CHECK(text_of(ws.call("Grep", {{"pattern", "-v"}, {"path", "-dash"}})) == "-dash");
  for (const char* pattern : {"(", "foo|Bar(", "["}) {
    const Outcome bad = ws.call("Grep", {{"pattern", pattern}});
    CHECK(bad.is_error);
    CHECK(says(bad, "regex parse error"));
  }
  CHECK(says(ws.call("Grep", {{"pattern", "x"}, {"type", "nosuch"}}), "nosuch"));
  CHECK_FALSE(ws.call("Grep", {{"pattern", "nothing"}}).is_error);
  CHECK(ws.call("Grep", {{"pattern", "x"}, {"path", "nowhere"}}).is_error);
  REQUIRE(::mkfifo(ws.path("pipe").c_str(), 0600) == 0);
  CHECK(says(ws.call("Grep", {{"pattern", "x"}, {"path", "pipe"}}), "named pipe"));
  CHECK(text_of(ws.call("Grep", {{"pattern", "flag"}})) == "f");  // and the pipe is passed over
  CHECK(
      says(ws.refusal("Grep", {{"pattern", "x"}, {"output_mode", "lines"}}), "files_with_matches"));
}

TEST_CASE("an unreadable file beside matches is a warning") {
  Workspace ws;
  FixedCommands beside(ended(2, "./a:1:x\n", "rg: ./b: Permission denied (os error 13)\n"));
  ws.use(beside);
  const Json content = {{"pattern", "x"}, {"output_mode", "content"}};
  const Outcome outcome = ws.call("Grep", content);
  CHECK_FALSE(outcome.is_error);
  CHECK(says(outcome, "a:1:x\n(could not be searched: rg: ./b: Permission denied"));

  FixedCommands alone(ended(2, "", "rg: ./b: Permission denied (os error 13)\n"));
  ws.use(alone);
  const Outcome none = ws.call("Grep", content);
  CHECK_FALSE(none.is_error);
  CHECK(says(none, "No matches found."));
  CHECK(says(none, "Permission denied"));
}

TEST_CASE("a missing ripgrep is told with the package to install") {
  Workspace ws;
  FixedCommands missing(make_error(Code::not_found, "rg: no such program"));
  ws.use(missing);
  for (const char* tool : {"Grep", "Glob"}) {
    const Outcome outcome = ws.call(tool, {{"pattern", "x"}});
    CHECK(outcome.is_error);
    CHECK(says(outcome, "ripgrep"));
    CHECK(says(outcome, "install"));
  }
}

TEST_CASE("a search that takes too long gives what it has, whole records only") {
  Workspace ws;
  platform::CommandEnd end = ended(0, "./a:1:x\n./b:1:x\n./c:1", "");
  end.how = platform::CommandEnd::How::timed_out;
  FixedCommands slow(end);
  ws.use(slow);
  const Outcome outcome = ws.call("Grep", {{"pattern", "x"}, {"output_mode", "content"}});
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome) ==
        "a:1:x\nb:1:x\n(the search was stopped after 20 s; there may be more matches)");
  CHECK(slow.spec().timeout == std::chrono::seconds(20));

  platform::CommandEnd nothing = ended(0, "", "");
  nothing.how = platform::CommandEnd::How::timed_out;
  FixedCommands empty(nothing);
  ws.use(empty);
  CHECK(ws.call("Grep", {{"pattern", "x"}}).is_error);
}

TEST_CASE("inputs without bounds are refused before anything runs") {
  Workspace ws;
  std::string braces;
  for (int i = 0; i < 30'000; ++i) braces += "{}";
  CHECK(ws.refusal("Glob", {{"pattern", braces}}).find("longer than 4096") != std::string::npos);
  CHECK(ws.refusal("Grep", {{"pattern", "x"}, {"glob", braces}}).find("is longer than") !=
        std::string::npos);
  CHECK(ws.refusal("Grep", {{"pattern", std::string(200'000, 'x')}}).find("is longer than") !=
        std::string::npos);
  CHECK(ws.refusal("Grep", {{"pattern", "x"}, {"type", std::string(200'000, 'x')}})
            .find("is longer than") != std::string::npos);
}

TEST_CASE("a stop request ends a search") {
  Workspace ws;
  ws.put("f", "x");
  ws.stop().request_stop();
  for (const char* tool : {"Grep", "Glob"}) {
    const Outcome outcome = ws.call(tool, {{"pattern", "x"}});
    CHECK(outcome.is_error);
    CHECK(says(outcome, "Interrupted"));
  }
}
