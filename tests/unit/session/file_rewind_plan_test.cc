// What a rewind would do, by what was changed and what is on disk now.
#include "session/file_rewind_plan.h"

#include <doctest/doctest.h>

#include <utility>

using namespace agentd;
using namespace agentd::session;
using agent::FileBefore;
using Why = FileConflict::Why;

namespace {

// What a file is, in one word: "-" nothing, "?" what could not be kept, "/" a directory, else its
// content; before a change, "X!" is a content X that gave way to newer ones.
using Word = std::string;

FileChange change(const std::string& path, const Word& before, const Word& after) {
  FileChange made;
  made.path = path;
  made.mode = 0640;
  if (after != "-") made.after = platform::hash_content(after);
  if (before == "-") return made;
  made.was = before == "?" ? FileBefore::Was::not_kept : FileBefore::Was::kept;
  if (before == "?") return made;
  made.stored = !before.ends_with('!');
  made.before = platform::hash_content(made.stored ? before : before.substr(0, before.size() - 1));
  return made;
}

FileNow now(const Word& word) {
  FileNow there;
  if (word == "-") return there;
  there.is = word == "/" ? FileNow::Is::other : FileNow::Is::regular;
  if (word == "/") {
    there.fault = "it is a directory";
  } else {
    there.content = word;
    there.hash = platform::hash_content(word);
  }
  return there;
}

std::string name_of(Why why) {
  switch (why) {
    case Why::changed:
      return "changed";
    case Why::removed:
      return "removed";
    case Why::changed_between:
      return "changed between";
    case Why::not_restorable:
      return "not restorable";
    case Why::never_kept:
      return "never kept";
    case Why::dropped:
      return "dropped";
  }
  return "";
}

// "to X", "gone", "as it was", or why not.
std::string outcome(const FileRewindPlan& plan) {
  if (!plan.conflicts.empty()) return name_of(plan.conflicts.front().why);
  if (plan.files.empty()) return "as it was";
  const auto& becomes = plan.files.front().becomes;
  if (!becomes) return "gone";
  for (const char* content : {"A", "B", "C", ""}) {
    if (*becomes == platform::hash_content(content)) return std::string("to ") + content;
  }
  return "to something else";
}

}  // namespace

TEST_CASE("one file") {
  struct Row {
    const char* name;
    std::vector<std::pair<Word, Word>> changes;
    Word now;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"an edit is taken back", {{"A", "B"}}, "B", "to A"},
      {"to an empty file", {{"", "B"}}, "B", "to "},
      {"from an empty file", {{"A", ""}}, "", "to A"},
      {"several edits at once", {{"A", "B"}, {"B", "C"}}, "C", "to A"},
      {"a new file goes", {{"-", "A"}}, "A", "gone"},
      {"a new file that was edited goes", {{"-", "A"}, {"A", "B"}}, "B", "gone"},
      {"a removal is taken back", {{"A", "-"}}, "-", "to A"},
      {"an edit that failed", {{"A", "B"}}, "A", "as it was"},
      {"a last edit that failed", {{"A", "B"}, {"B", "C"}}, "B", "to A"},
      {"an edit that failed, then one that did not", {{"A", "B"}, {"A", "C"}}, "C", "to A"},
      {"a creation that failed, twice", {{"-", "A"}, {"-", "B"}}, "B", "gone"},
      {"edits that came back to the beginning", {{"A", "B"}, {"B", "A"}}, "A", "as it was"},
      {"the user took it back before", {{"A", "B"}, {"B", "C"}}, "A", "as it was"},
      {"the user removed a new file before", {{"-", "A"}}, "-", "as it was"},
      {"as it was needs no content", {{"A!", "B"}}, "A", "as it was"},
      {"the user changed it since", {{"A", "B"}}, "U", "changed"},
      {"the user changed a new file since", {{"-", "A"}}, "U", "changed"},
      {"the user made it anew after a removal", {{"A", "-"}}, "U", "changed"},
      {"the user removed it since", {{"A", "B"}}, "-", "removed"},
      {"the user changed it in between", {{"A", "B"}, {"U", "C"}}, "C", "changed between"},
      {"the user removed it in between", {{"A", "B"}, {"-", "C"}}, "C", "changed between"},
      {"the user made it in between", {{"A", "-"}, {"U", "C"}}, "C", "changed between"},
      {"in between and since", {{"A", "B"}, {"U", "C"}}, "V", "changed"},
      {"it could not be kept", {{"?", "B"}}, "B", "never kept"},
      {"it could not be kept in between", {{"A", "B"}, {"?", "C"}}, "C", "to A"},
      {"changed, and not kept either", {{"?", "B"}}, "U", "changed"},
      {"it gave way", {{"A!", "B"}}, "B", "dropped"},
      {"what gave way in between does not matter", {{"A", "B"}, {"B!", "C"}}, "C", "to A"},
      {"a directory in its place", {{"A", "B"}}, "/", "not restorable"},
      {"a directory in place of a new file", {{"-", "B"}}, "/", "not restorable"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    std::vector<FileChange> changes;
    for (const auto& [before, after] : row.changes) changes.push_back(change("/f", before, after));
    CHECK(outcome(plan_file_rewind(changes, {{"/f", now(row.now)}})) == row.expected);
  }
}

TEST_CASE("several files: each by its own changes, each conflict by name") {
  const std::vector<FileChange> changes = {change("/b", "A", "B"), change("/a", "-", "A"),
                                           change("/b", "B", "C"), change("/c", "A", "B"),
                                           change("/d", "?", "B")};
  const auto clean =
      plan_file_rewind({changes[0], changes[1], changes[2]}, {{"/a", now("A")}, {"/b", now("C")}});
  CHECK(clean.conflicts.empty());
  REQUIRE(clean.files.size() == 2);
  CHECK(clean.files[0].path == "/a");
  CHECK(!clean.files[0].becomes);
  CHECK(clean.files[1].path == "/b");
  CHECK(clean.files[1].becomes == platform::hash_content("A"));
  CHECK(clean.files[1].mode == 0640);

  const auto mixed = plan_file_rewind(
      changes, {{"/a", now("A")}, {"/b", now("C")}, {"/c", now("/")}, {"/d", now("B")}});
  REQUIRE(mixed.conflicts.size() == 2);
  CHECK(mixed.conflicts[0].path == "/c");
  CHECK(describe(mixed.conflicts[0]) == "it is a directory");
  CHECK(mixed.conflicts[1].path == "/d");
  CHECK(describe(mixed.conflicts[1]).find("too large") != std::string::npos);
}
