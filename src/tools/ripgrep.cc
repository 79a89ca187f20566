#include "tools/ripgrep.h"

#include <algorithm>

#include "base/lines.h"
#include "base/utf8.h"
#include "tools/text_file.h"

namespace agentd::tools {
namespace {

// Enough for some hundred thousand names; a search that prints more is cut and says so.
constexpr std::uint64_t kMaxOutput = 16u << 20;

constexpr std::size_t kMaxDiagnostic = 4000;

std::vector<std::string> command_line(std::vector<std::string> arguments) {
  std::vector<std::string> argv = {"rg",     "--no-config", "--color=never",    "--hidden",
                                   "--glob", "!.git",       "--no-require-git", "--no-heading"};
  argv.insert(argv.end(), std::make_move_iterator(arguments.begin()),
              std::make_move_iterator(arguments.end()));
  return argv;
}

std::string text_of(const platform::CapturedOutput& captured) {
  const std::string_view cut = utf8::head(captured.head, kMaxDiagnostic);
  std::string text = utf8::repaired(cut);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// rg ends with 2 both for a bad pattern and for one unreadable file; only the latter names an
// operating system error on every line.
bool only_unreadable_places(std::string_view diagnostic) {
  const std::vector<std::string_view> lines = split_lines(diagnostic);
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find("(os error ") != std::string_view::npos;
  });
}

Error start_error(const Error& error) {
  if (error.code != Code::not_found && error.code != Code::unavailable) return error;
  return make_error(Code::unavailable,
                    "Searching needs ripgrep, and `rg` could not be started: " + error.message +
                        ". Install the package `ripgrep` (apt install ripgrep) or put rg in PATH; "
                        "until then use Bash with find or grep");
}

void drop_partial_record(std::string& output, char separator) {
  const std::size_t end = output.rfind(separator);
  output.resize(end == std::string::npos ? 0 : end + 1);
}

Result<Search> judged(platform::CommandEnd end, char separator) {
  using How = platform::CommandEnd::How;
  if (end.how == How::cancelled) return make_error(Code::cancelled, "Interrupted by user");
  Search search;
  search.output = std::move(end.standard_output.head);
  search.timed_out = end.how == How::timed_out;
  search.cut = end.how != How::exited || end.standard_output.skipped_bytes > 0;
  if (search.cut) drop_partial_record(search.output, separator);
  if (search.timed_out && search.output.empty()) {
    return make_error(Code::timeout, "Nothing was found in " +
                                         std::to_string(kSearchTimeout.count()) +
                                         " s, then the search was stopped: search a smaller "
                                         "directory or a narrower pattern");
  }
  if (end.how == How::signalled) {
    return make_error(Code::unavailable,
                      "ripgrep was killed by signal " + std::to_string(end.signal));
  }
  if (end.how != How::exited || end.exit_code <= 1) return search;
  search.warning = text_of(end.standard_error);
  if (search.output.empty() && !only_unreadable_places(search.warning)) {
    return make_error(Code::invalid_input,
                      search.warning.empty()
                          ? "ripgrep failed with exit code " + std::to_string(end.exit_code)
                          : search.warning);
  }
  return search;
}

}  // namespace

Result<Search> ripgrep(std::vector<std::string> arguments, const std::string& cwd,
                       const CallContext& context, char separator) {
  platform::CommandSpec spec;
  spec.argv = command_line(std::move(arguments));
  spec.cwd = cwd;
  spec.cwd_links = platform::Links::refuse;
  spec.session_id = context.session_id;
  spec.timeout = kSearchTimeout;
  spec.keep_head = kMaxOutput;
  spec.keep_tail = 0;
  spec.kill_above = kMaxOutput;
  Result<platform::CommandEnd> end = context.commands.run(std::move(spec), context.stop);
  if (!end) return start_error(end.error());
  return judged(std::move(*end), separator);
}

}  // namespace agentd::tools
