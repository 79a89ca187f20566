#include "tools/glob.h"

#include <algorithm>

#include "base/utf8.h"
#include "tools/file_lookup.h"
#include "tools/glob.md.h"
#include "tools/glob_pattern.h"
#include "tools/listing.h"
#include "tools/paths.h"
#include "tools/ripgrep.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kMaxFiles = 100;

struct GlobInput {
  std::string pattern;
  std::optional<std::string> path;

  static void fields(auto& field) {
    field("pattern", &GlobInput::pattern, "The glob pattern, for example \"src/**/*.ts\".",
          wire::kNoNul);
    field("path", &GlobInput::path, "The directory to search. Default: the current directory.",
          wire::kNoNul);
  }
};

// Where the search starts: the path, and below it whatever of the pattern needs no matching. So a
// pattern such as "/etc/*" or "../*" names the directory it really reads.
struct Start {
  std::string given;      // the path alone
  std::string directory;  // with the pattern's root
  std::string pattern;    // what is left of it
};

Start start_of(const GlobInput& input, const std::string& cwd) {
  Start start;
  start.given = absolute_path(input.path.value_or(""), cwd);
  GlobRoot root = split_root(input.pattern);
  start.directory =
      root.directory.empty() ? start.given : absolute_path(root.directory, start.given);
  start.pattern = std::move(root.pattern);
  return start;
}

Outcome no_files(const Search& search) {
  std::string text = "No files found. (Files that .gitignore names, and .git, are not searched.)";
  if (search.cut) text += "\n(the search was stopped before its end)";
  if (!search.warning.empty()) text += "\n(could not be searched: " + search.warning + ")";
  return text_outcome(std::move(text), {{"files", 0}});
}

Outcome listed(const std::vector<std::string>& files, const std::string& directory,
               const Search& search) {
  const std::size_t shown = std::min(files.size(), kMaxFiles);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += absolute_path(files[i], directory) + "\n";
  if (shown < files.size()) {
    text += "(the newest " + std::to_string(shown) + " of " + std::to_string(files.size()) +
            " files; narrow the pattern or the path to see others)\n";
  }
  if (search.cut) {
    text += search.timed_out ? "(the search was stopped after 20 s; there may be more files)\n"
                             : "(there are more files than one search may list)\n";
  }
  if (!search.warning.empty()) text += "(could not be searched: " + search.warning + ")\n";
  text.pop_back();
  return text_outcome(utf8::repaired(text),
                      {{"files", files.size()}, {"truncated", shown < files.size() || search.cut}});
}

class GlobTool final : public TypedTool<GlobInput> {
 public:
  GlobTool() : TypedTool("Glob", embedded::glob) {}

  bool safe(const Json&) const override { return true; }

 protected:
  std::optional<Error> check(const GlobInput& input) const override {
    if (input.pattern.empty()) return invalid("pattern", "must not be empty");
    const Result<GlobPattern> pattern = GlobPattern::parse(input.pattern);
    if (!pattern) return invalid("pattern", pattern.error().message);
    return std::nullopt;
  }

  Access access_of(const GlobInput& input, const std::string& cwd) const override {
    return {.reads = {start_of(input, cwd).directory}, .writes = {}, .command = {}};
  }

  Outcome run_with(const GlobInput& input, const CallContext& context) const override {
    const Start start = start_of(input, context.cwd);
    const std::string directory = judged_read(context, start.directory);
    if (const auto fault = not_a_directory(directory, context)) {
      // A directory that only the pattern names is a pattern that matches nothing.
      return input.path || start.directory == start.given ? error_outcome(*fault) : no_files({});
    }
    const Result<GlobPattern> pattern = GlobPattern::parse(start.pattern);
    if (!pattern) return error_outcome(pattern.error().message);

    const Result<Search> search = ripgrep({"--files", "--null"}, directory, context, '\0');
    if (!search) return error_outcome(search.error().message);
    std::vector<std::string> files = split_records(search->output);
    std::erase_if(files, [&](const std::string& file) {
      return context.stop.stop_requested() || !pattern->matches(file);
    });
    if (context.stop.stop_requested()) return error_outcome("Interrupted by user.");
    if (files.empty()) return no_files(*search);
    sort_newest_first(files, directory, context.files, context.stop);
    if (context.stop.stop_requested()) return error_outcome("Interrupted by user.");
    return listed(files, directory, *search);
  }

 private:
  static std::optional<std::string> not_a_directory(const std::string& path,
                                                    const CallContext& context) {
    const Result<platform::FileInfo> info = context.files.info(path, platform::Links::refuse);
    if (!info) {
      return info.error().code == Code::not_found
                 ? missing_file_text(path, context.cwd, context.files)
                 : info.error().message;
    }
    if (info->kind == platform::FileKind::directory) return std::nullopt;
    return path + " is not a directory; give the directory to search as path.";
  }
};

}  // namespace

std::unique_ptr<Tool> make_glob() {
  return std::make_unique<GlobTool>();
}

}  // namespace agentd::tools
