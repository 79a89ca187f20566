// The input of Grep and the ripgrep arguments it stands for. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/description.h"

namespace agentd::tools {

enum class GrepMode { files_with_matches, content, count };

constexpr auto wire_names(GrepMode) {
  return wire::names<GrepMode>("", {{GrepMode::files_with_matches, "files_with_matches"},
                                    {GrepMode::content, "content"},
                                    {GrepMode::count, "count"}});
}

struct GrepInput {
  std::string pattern;
  std::optional<std::string> path;
  std::optional<std::string> glob;
  std::optional<std::string> type;
  std::optional<GrepMode> output_mode;
  std::optional<std::int64_t> after;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> around;
  std::optional<std::int64_t> context;
  std::optional<bool> line_numbers;
  std::optional<bool> ignore_case;
  std::optional<bool> only_matching;
  std::optional<std::int64_t> head_limit;
  std::optional<std::int64_t> offset;
  std::optional<bool> multiline;

  static void fields(auto& field) {
    constexpr wire::Limits kCount{.minimum = 0, .maximum = 1'000'000};
    field("pattern", &GrepInput::pattern, "The regular expression to search for.", wire::kNoNul);
    field("path", &GrepInput::path,
          "The file or directory to search. Default: the current directory.", wire::kNoNul);
    field("glob", &GrepInput::glob,
          "Only files whose path matches, for example \"*.ts\" or \"*.{c,h}\".", wire::kNoNul);
    field("type", &GrepInput::type, "Only files of this type as ripgrep names it, such as py.",
          wire::kNoNul);
    field("output_mode", &GrepInput::output_mode, "What to return. Default: files_with_matches.");
    field("-A", &GrepInput::after, "Lines to show after each match (content).", kCount);
    field("-B", &GrepInput::before, "Lines to show before each match (content).", kCount);
    field("-C", &GrepInput::around, "Lines to show before and after each match (content).", kCount);
    field("context", &GrepInput::context, "The same as -C.", kCount);
    field("-n", &GrepInput::line_numbers, "Show line numbers (content). Default: true.");
    field("-i", &GrepInput::ignore_case, "Ignore case. Default: false.");
    field("-o", &GrepInput::only_matching,
          "Show only the matching part of each line (content). Default: false.");
    field("head_limit", &GrepInput::head_limit,
          "At most this many lines or files; 0: as many as fit. Default: 250.", kCount);
    field("offset", &GrepInput::offset, "Skip this many lines or files first. Default: 0.", kCount);
    field("multiline", &GrepInput::multiline,
          "Let the pattern span lines and . match line ends. Default: false.");
  }

  GrepMode mode() const { return output_mode.value_or(GrepMode::files_with_matches); }
};

/// Everything but the common arguments (ripgrep.h); `target` is the file or directory.
std::vector<std::string> grep_arguments(const GrepInput& input, const std::string& target);

}  // namespace agentd::tools
