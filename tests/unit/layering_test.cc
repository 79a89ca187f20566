// The house rules that a compiler does not hold: which room may include which, how long a file may
// be, and that each file begins by saying what it is for. Reads src/ and tests/ as text.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLines = 500;

// Rooms from low to high; rooms on one line have one rank and may not include each other. The same
// order as the add_room lines of src/rooms.cmake.
const std::vector<std::vector<std::string>> kRanks = {
    {"base"},
    {"platform", "message", "wire"},
    {"config", "shell"},
    {"rpc", "protocol", "model", "context", "permission", "hooks", "tools"},
    {"mcp"},
    {"agent"},
    {"session"},
    {"server"},
    {"main"},
};

std::optional<std::size_t> rank_of(const std::string& room) {
  for (std::size_t rank = 0; rank < kRanks.size(); ++rank) {
    if (std::find(kRanks[rank].begin(), kRanks[rank].end(), room) != kRanks[rank].end())
      return rank;
  }
  return std::nullopt;
}

bool may_include(const std::string& from, const std::string& to) {
  if (from == to) return true;
  const auto from_rank = rank_of(from);
  const auto to_rank = rank_of(to);
  return from_rank && to_rank && *to_rank < *from_rank;
}

struct Source {
  std::string path;  // relative to src/ or tests/
  std::string room;  // main for the files directly in src/
  std::vector<std::string> lines;
};

std::vector<Source> read_sources(const fs::path& root) {
  std::vector<Source> sources;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".cc" && extension != ".h") continue;
    Source source;
    const fs::path relative = fs::relative(entry.path(), root);
    source.path = relative.generic_string();
    source.room = relative.has_parent_path() ? relative.begin()->string() : "main";
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) source.lines.push_back(line);
    sources.push_back(std::move(source));
  }
  return sources;
}

/// The quoted path of an #include line, if it is one of ours.
std::optional<std::string> included_path(const std::string& line) {
  constexpr std::string_view kDirective = "#include \"";
  if (line.rfind(kDirective, 0) != 0) return std::nullopt;
  const auto end = line.find('"', kDirective.size());
  if (end == std::string::npos) return std::nullopt;
  return line.substr(kDirective.size(), end - kDirective.size());
}

/// What is wrong with one #include line, or nothing.
std::optional<std::string> include_fault(const Source& source, const std::string& line) {
  const auto path = included_path(line);
  if (!path) return std::nullopt;
  const auto slash = path->find('/');
  if (slash == std::string::npos) return "name the room: " + line;
  const std::string room = path->substr(0, slash);
  if (!rank_of(room)) return "no such room: " + room;
  if (!may_include(source.room, room)) return source.room + " may not include " + room;
  return std::nullopt;
}

const std::vector<Source>& sources() {
  static const std::vector<Source> all = read_sources(fs::path(AGENTD_SOURCE_DIR) / "src");
  return all;
}

const std::vector<Source>& tests() {
  static const std::vector<Source> all = read_sources(fs::path(AGENTD_SOURCE_DIR) / "tests");
  return all;
}

void check_sizes(const std::string& root, const std::vector<Source>& files) {
  for (const Source& source : files) {
    CHECK_MESSAGE(source.lines.size() <= kMaxLines, root, source.path, " has ", source.lines.size(),
                  " lines; past ", kMaxLines, " it is two things");
  }
}

}  // namespace

TEST_CASE("the sources are found and every folder is a room of the list") {
  REQUIRE(sources().size() > 30);
  for (const Source& source : sources())
    CHECK_MESSAGE(rank_of(source.room).has_value(), source.path);
}

TEST_CASE("a file includes only files of lower rank or of its own room") {
  std::size_t looked_at = 0;
  for (const Source& source : sources()) {
    for (const std::string& line : source.lines) {
      looked_at += included_path(line).has_value() ? 1 : 0;
      const auto fault = include_fault(source, line);
      CHECK_MESSAGE(!fault.has_value(), "src/", source.path, ": ", fault.value_or(""));
    }
  }
  CHECK(looked_at > 40);
}

TEST_CASE("the rule itself refuses what it must") {
  CHECK(may_include("agent", "model"));
  CHECK(may_include("agent", "agent"));
  CHECK_FALSE(may_include("agent", "server"));
  CHECK_FALSE(may_include("agent", "session"));
  CHECK_FALSE(may_include("model", "tools"));
  CHECK_FALSE(may_include("base", "platform"));
  Source source{"tools/bash.cc", "tools", {}};
  CHECK(include_fault(source, "#include \"permission/permission.h\"").has_value());
  CHECK(include_fault(source, "#include \"tool.h\"").has_value());
  CHECK_FALSE(include_fault(source, "#include \"platform/files.h\"").has_value());
  CHECK_FALSE(include_fault(source, "#include <vector>").has_value());
}

TEST_CASE("no file is two things, the tests' neither") {
  REQUIRE(tests().size() > 100);
  check_sizes("src/", sources());
  check_sizes("tests/", tests());
}

TEST_CASE("each file begins by saying what it is for, a .cc in its header if it has one") {
  std::set<std::string> paths;
  for (const Source& source : sources()) paths.insert(source.path);
  for (const Source& source : sources()) {
    const fs::path header = fs::path(source.path).replace_extension(".h");
    if (source.path != header && paths.count(header.generic_string()) > 0) continue;
    const bool begins_with_comment = !source.lines.empty() && source.lines[0].rfind("//", 0) == 0;
    CHECK_MESSAGE(begins_with_comment, "src/", source.path,
                  ": the first line is a comment that says what the file is for");
  }
}
