#include "tools/grep_input.h"

#include <algorithm>

namespace agentd::tools {
namespace {

constexpr const char* kMaxColumns = "2000";

// "*.ts *.tsx" and "*.ts,*.tsx" are two globs; a comma between braces is the glob's own.
std::vector<std::string> split_globs(const std::string& text) {
  std::vector<std::string> globs;
  std::string glob;
  int depth = 0;
  const auto end_glob = [&] {
    if (!glob.empty()) globs.push_back(std::move(glob));
    glob.clear();
  };
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (depth <= 0 && (c == ' ' || c == '\t' || c == ',')) {
      end_glob();
    } else {
      glob += c;
    }
  }
  end_glob();
  return globs;
}

// rg's --glob searches what .gitignore excludes if the glob matches it; a type of our own does
// not, but knows file names only. So globs of names become a type, and only paths and exclusions
// go to --glob.
void add_globs(std::vector<std::string>& arguments, const GrepInput& input) {
  if (!input.glob) return;
  const std::vector<std::string> globs = split_globs(*input.glob);
  const bool names_only =
      !input.type && std::all_of(globs.begin(), globs.end(), [](const std::string& glob) {
        return glob.find('/') == std::string::npos && glob.front() != '!' &&
               glob.find(':') == std::string::npos;
      });
  for (const std::string& glob : globs) {
    arguments.push_back(names_only ? "--type-add=agentd:" + glob : "--glob=" + glob);
  }
  if (names_only && !globs.empty()) arguments.push_back("--type=agentd");
}

void add_context(std::vector<std::string>& arguments, const GrepInput& input) {
  const std::optional<std::int64_t> around = input.around ? input.around : input.context;
  const std::optional<std::int64_t> after = input.after ? input.after : around;
  const std::optional<std::int64_t> before = input.before ? input.before : around;
  if (after) arguments.push_back("--after-context=" + std::to_string(*after));
  if (before) arguments.push_back("--before-context=" + std::to_string(*before));
}

void add_mode(std::vector<std::string>& arguments, const GrepInput& input) {
  switch (input.mode()) {
    case GrepMode::files_with_matches:
      arguments.insert(arguments.end(), {"--files-with-matches", "--null"});
      return;
    case GrepMode::count:
      // Sorted, so that pages of one search fit together; this costs rg its second thread.
      arguments.insert(arguments.end(), {"--count", "--with-filename", "--sort=path"});
      return;
    case GrepMode::content:
      arguments.insert(arguments.end(),
                       {"--with-filename", "--sort=path",
                        std::string("--max-columns=") + kMaxColumns, "--max-columns-preview"});
      arguments.push_back(input.line_numbers.value_or(true) ? "--line-number" : "--no-line-number");
      if (input.only_matching.value_or(false)) arguments.push_back("--only-matching");
      add_context(arguments, input);
      return;
  }
}

}  // namespace

std::vector<std::string> grep_arguments(const GrepInput& input, const std::string& target) {
  std::vector<std::string> arguments;
  add_mode(arguments, input);
  if (input.ignore_case.value_or(false)) arguments.push_back("--ignore-case");
  if (input.multiline.value_or(false)) {
    arguments.insert(arguments.end(), {"--multiline", "--multiline-dotall"});
  }
  if (input.type) arguments.push_back("--type=" + *input.type);
  add_globs(arguments, input);
  arguments.insert(arguments.end(), {"--regexp=" + input.pattern, "--", target});
  return arguments;
}

}  // namespace agentd::tools
