#include "context/memory_text.h"

#include <algorithm>
#include <cstddef>

#include "base/lines.h"

namespace agentd::context {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::size_t run_length(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

// A fence is three or more backticks or tildes, indented by at most three spaces.
struct Fence {
  char mark = 0;  // 0: the line is none
  std::size_t length = 0;
  bool bare = false;  // nothing behind it: it can close a block
};

Fence fence_of(std::string_view line) {
  const std::size_t indent = run_length(line, ' ');
  if (indent > 3 || indent == line.size()) return {};
  line.remove_prefix(indent);
  const char mark = line.front();
  if (mark != '`' && mark != '~') return {};
  const std::size_t length = run_length(line, mark);
  const std::string_view behind = line.substr(length);
  // A line with more backticks behind is a code span, no fence.
  if (length < 3 || (mark == '`' && behind.find('`') != std::string_view::npos)) return {};
  return {mark, length, behind.find_first_not_of(kSpace) == std::string_view::npos};
}

// Goes through a text line by line and tells the lines of fenced blocks, fences included. A block
// that is not closed goes to the end.
class FencedBlocks {
 public:
  bool holds(std::string_view line) {
    const Fence fence = fence_of(line);
    if (open_.mark == 0) {
      open_ = fence;
      return fence.mark != 0;
    }
    const bool closes = fence.mark == open_.mark && fence.length >= open_.length && fence.bare;
    if (closes) open_ = {};
    return true;
  }

 private:
  Fence open_;
};

std::string without_fenced_blocks(std::string_view text) {
  std::string out;
  FencedBlocks blocks;
  for (const std::string_view line : split_lines(text)) {
    if (!blocks.holds(line)) out += line;
    out += '\n';
  }
  return out;
}

bool begins_comment(std::string_view line) {
  const std::size_t indent = run_length(line, ' ');
  return indent <= 3 && line.substr(indent).starts_with("<!--");
}

// The offset behind the code span that begins at `at`; `at` plus its backticks if none closes it.
std::size_t behind_span(std::string_view text, std::size_t at) {
  const std::size_t length = run_length(text.substr(at), '`');
  for (std::size_t i = at + length; (i = text.find('`', i)) != std::string_view::npos;) {
    const std::size_t closing = run_length(text.substr(i), '`');
    i += closing;
    if (closing == length) return i;
  }
  return at + length;
}

// Reads the path at `at`, which is moved behind it.
std::string path_at(std::string_view text, std::size_t& at) {
  std::string path;
  for (; at < text.size() && kSpace.find(text[at]) == std::string_view::npos; ++at) {
    if (text[at] == '`') break;
    const bool escaped = text[at] == '\\' && at + 1 < text.size() && text[at + 1] == ' ';
    if (escaped) ++at;
    path += text[at];
  }
  const std::size_t last = path.find_last_not_of(".,;:!?)]}\"'*");
  path.resize(last == std::string::npos ? 0 : last + 1);
  return path;
}

bool looks_like_a_path(std::string_view path) {
  return !path.empty() && path.front() != '@' &&
         (path.front() == '~' || path.find('/') != std::string_view::npos ||
          path.find('.') != std::string_view::npos);
}

}  // namespace

std::vector<std::string> imported_paths(std::string_view text) {
  constexpr std::string_view kBefore = " \t\r\n([\"'*";
  const std::string prose = without_fenced_blocks(text);
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < prose.size();) {
    if (prose[at] == '`') {
      at = behind_span(prose, at);
      continue;
    }
    const bool begins = at == 0 || kBefore.find(prose[at - 1]) != std::string_view::npos;
    if (prose[at++] != '@' || !begins) continue;
    std::string path = path_at(prose, at);
    const bool known = std::find(paths.begin(), paths.end(), path) != paths.end();
    if (looks_like_a_path(path) && !known) paths.push_back(std::move(path));
  }
  return paths;
}

std::string without_comments(std::string_view text) {
  std::string out;
  FencedBlocks blocks;
  bool inside = false;
  for (std::string_view line : split_lines(text)) {
    if (!inside && (blocks.holds(line) || !begins_comment(line))) {
      out += line;
      out += '\n';
      continue;
    }
    const std::size_t end = line.find("-->");
    inside = end == std::string_view::npos;
    if (inside) continue;
    line.remove_prefix(end + 3);
    if (line.find_first_not_of(kSpace) == std::string_view::npos) continue;
    out += line;
    out += '\n';
  }
  if (!text.ends_with('\n') && out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace agentd::context
