#include "tools/grep.h"

#include <algorithm>
#include <charconv>

#include "base/lines.h"
#include "base/utf8.h"
#include "tools/file_lookup.h"
#include "tools/glob_pattern.h"
#include "tools/grep.md.h"
#include "tools/grep_input.h"
#include "tools/listing.h"
#include "tools/paths.h"
#include "tools/ripgrep.h"
#include "tools/text_file.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kHeadLimit = 250;
constexpr std::size_t kMaxText = 30'000;  // bytes
// Bytes. Each becomes an argument of rg, and the system takes 128 KB in one.
constexpr std::size_t kMaxRegex = 64 * 1024;
constexpr std::size_t kMaxType = 100;

// rg prints "./x" for the target "."; the model needs no "./".
std::string without_dot(std::string path) {
  return path.compare(0, 2, "./") == 0 ? path.substr(2) : path;
}

std::vector<std::string> output_lines(const std::string& output) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(output)) {
    lines.push_back(without_dot(std::string(line)));
  }
  return lines;
}

// A page of the entries: by head_limit and offset, and by what one result may hold.
struct Page {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;  // one past the last entry shown
};

Page page_of(const std::vector<std::string>& entries, const GrepInput& input) {
  const auto limit =
      static_cast<std::size_t>(input.head_limit.value_or(static_cast<std::int64_t>(kHeadLimit)));
  Page page;
  page.begin = std::min(entries.size(), static_cast<std::size_t>(input.offset.value_or(0)));
  page.end = page.begin;
  while (page.end < entries.size() && (limit == 0 || page.end - page.begin < limit) &&
         (page.text.empty() || page.text.size() + entries[page.end].size() < kMaxText)) {
    page.text += entries[page.end++];
    page.text += '\n';
  }
  return page;
}

std::string page_note(const Page& page, std::size_t total, std::string_view what) {
  if (page.begin == page.end) {
    return "(no entries at this offset: there are " + std::to_string(total) + " " +
           std::string(what) + ")";
  }
  if (page.begin == 0 && page.end == total) return {};
  std::string note = "(" + std::string(what) + " " + std::to_string(page.begin + 1) + " to " +
                     std::to_string(page.end) + " of " + std::to_string(total);
  if (page.end < total) note += "; to go on, use offset " + std::to_string(page.end);
  return note + ")";
}

void add_search_notes(std::string& text, const Search& search) {
  if (search.timed_out) {
    text += "(the search was stopped after 20 s; there may be more matches)\n";
  } else if (search.cut) {
    text += "(there are more matches than one search may list; narrow the pattern)\n";
  }
  if (!search.warning.empty()) text += "(could not be searched: " + search.warning + ")\n";
}

std::uint64_t total_count(const std::vector<std::string>& lines) {
  std::uint64_t total = 0;
  for (const std::string& line : lines) {
    const std::size_t colon = line.rfind(':');
    std::uint64_t count = 0;
    if (colon != std::string::npos) {
      std::from_chars(line.data() + colon + 1, line.data() + line.size(), count);
    }
    total += count;
  }
  return total;
}

std::string_view entries_name(GrepMode mode) {
  switch (mode) {
    case GrepMode::files_with_matches:
    case GrepMode::count:
      return "files";
    case GrepMode::content:
      return "lines";
  }
  return "lines";
}

class GrepTool final : public TypedTool<GrepInput> {
 public:
  GrepTool() : TypedTool("Grep", embedded::grep) {}

  bool safe(const Json&) const override { return true; }

 protected:
  std::optional<Error> check(const GrepInput& input) const override {
    if (input.pattern.empty()) return invalid("pattern", "must not be empty");
    if (const auto fault = too_long("pattern", input.pattern, kMaxRegex)) return fault;
    if (const auto fault = too_long("glob", input.glob.value_or(""), kMaxGlob)) return fault;
    return too_long("type", input.type.value_or(""), kMaxType);
  }

  Access access_of(const GrepInput& input, const std::string& cwd) const override {
    return {.reads = {absolute_path(input.path.value_or(""), cwd)}, .writes = {}, .command = {}};
  }

  Outcome run_with(const GrepInput& input, const CallContext& context) const override {
    const Result<std::string> target = target_of(input, context);
    if (!target) return error_outcome(target.error().message);
    const char separator = input.mode() == GrepMode::files_with_matches ? '\0' : '\n';
    const Result<Search> search =
        ripgrep(grep_arguments(input, *target), context.cwd, context, separator);
    if (!search) return error_outcome(search.error().message);
    // rg opens by name: what it found counts only if no link has come into that name meanwhile.
    if (const auto still = target_of(input, context); !still) {
      return error_outcome(still.error().message);
    }
    std::vector<std::string> entries = entries_of(input, *search, context);
    if (context.stop.stop_requested()) return error_outcome("Interrupted by user.");
    return entries.empty() ? no_match(*search) : shown(input, entries, *search);
  }

 private:
  static std::optional<Error> too_long(const char* field, const std::string& text,
                                       std::size_t limit) {
    if (text.size() <= limit) return std::nullopt;
    return invalid(field, "is longer than " + std::to_string(limit) + " bytes");
  }

  // Relative to the current directory where it is inside, so that results are short.
  static Result<std::string> target_of(const GrepInput& input, const CallContext& context) {
    const std::string path =
        judged_read(context, absolute_path(input.path.value_or(""), context.cwd));
    const Result<platform::FileInfo> info = context.files.info(path, platform::Links::refuse);
    if (!info) {
      if (info.error().code != Code::not_found) return info.error();
      return make_error(Code::not_found, missing_file_text(path, context.cwd, context.files));
    }
    if (info->kind != platform::FileKind::regular && info->kind != platform::FileKind::directory) {
      return make_error(Code::invalid_input, not_regular_text(path, info->kind));
    }
    return path == context.cwd ? "." : shown_path(path, context.cwd);
  }

  static std::vector<std::string> entries_of(const GrepInput& input, const Search& search,
                                             const CallContext& context) {
    if (input.mode() != GrepMode::files_with_matches) return output_lines(search.output);
    std::vector<std::string> files = split_records(search.output);
    for (std::string& file : files) file = without_dot(std::move(file));
    sort_newest_first(files, context.cwd, context.files, context.stop);
    return files;
  }

  static Outcome no_match(const Search& search) {
    std::string text = "No matches found.\n";
    add_search_notes(text, search);
    text.pop_back();
    return text_outcome(std::move(text), {{"matches", 0}});
  }

  static Outcome shown(const GrepInput& input, const std::vector<std::string>& entries,
                       const Search& search) {
    Page page = page_of(entries, input);
    std::string text = std::move(page.text);
    if (const std::string note = page_note(page, entries.size(), entries_name(input.mode()));
        !note.empty()) {
      text += note + "\n";
    }
    Json details = {{std::string(entries_name(input.mode())), entries.size()},
                    {"shown", page.end - page.begin},
                    {"truncated", page.end < entries.size() || search.cut}};
    if (input.mode() == GrepMode::count) {
      const std::uint64_t total = total_count(entries);
      text += "(" + std::to_string(total) + " matching lines in " + std::to_string(entries.size()) +
              (entries.size() == 1 ? " file)\n" : " files)\n");
      details["matches"] = total;
    }
    add_search_notes(text, search);
    text.pop_back();
    return text_outcome(utf8::repaired(text), std::move(details));
  }
};

}  // namespace

std::unique_ptr<Tool> make_grep() {
  return std::make_unique<GrepTool>();
}

}  // namespace agentd::tools
