#include "tools/edit_match.h"

#include <algorithm>
#include <optional>

#include "tools/text_file.h"

namespace agentd::tools {
namespace {

// The content with "\r\n" as "\n", and the way back to its own offsets.
class Folded {
 public:
  explicit Folded(std::string_view content) {
    text_.reserve(content.size());
    for (std::size_t i = 0; i < content.size(); ++i) {
      if (content[i] == '\r' && i + 1 < content.size() && content[i + 1] == '\n') {
        dropped_.push_back(text_.size());
        continue;
      }
      text_ += content[i];
    }
  }

  const std::string& text() const { return text_; }

  // The offset in the content at which folded offset `at` begins: before the "\r" of a pair.
  std::size_t original(std::size_t at) const {
    return at + static_cast<std::size_t>(std::lower_bound(dropped_.begin(), dropped_.end(), at) -
                                         dropped_.begin());
  }

 private:
  std::string text_;
  std::vector<std::size_t> dropped_;  // folded offsets of the "\n" that had a "\r" before it
};

std::vector<Region> find_exact(std::string_view content, std::string_view needle) {
  std::vector<Region> found;
  for (std::size_t at = content.find(needle); at != std::string_view::npos;
       at = content.find(needle, at + needle.size())) {
    found.push_back({at, at + needle.size()});
  }
  return found;
}

std::string folded_text(std::string_view text) {
  return Folded(text).text();
}

// Line ends of a text in order: true for "\r\n".
std::vector<bool> crlf_ends(std::string_view text) {
  std::vector<bool> ends;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    ends.push_back(at > 0 && text[at - 1] == '\r');
  }
  return ends;
}

// The line end that text without any in it is most likely to want: the next one, else the one
// before, else "\n".
bool neighbour_is_crlf(std::string_view content, const Region& region) {
  std::size_t end = content.find('\n', region.end);
  if (end == std::string_view::npos && region.begin > 0) {
    end = content.rfind('\n', region.begin - 1);
  }
  return end != std::string_view::npos && end > 0 && content[end - 1] == '\r';
}

// Which of the `count` line ends of the new text are "\r\n". Lines that are the same at the
// beginning and end of both texts keep theirs; those between take after the last kept one.
std::vector<bool> ends_for(std::string_view content, const Region& region,
                           std::string_view old_folded, std::string_view new_text) {
  const std::vector<bool> had = crlf_ends(content.substr(region.begin, region.end - region.begin));
  const std::vector<std::string_view> old_lines = split_lines(old_folded);
  const std::vector<std::string_view> new_lines = split_lines(new_text);
  const auto count = static_cast<std::size_t>(std::count(new_text.begin(), new_text.end(), '\n'));

  std::size_t head = 0;
  while (head < had.size() && head < count && old_lines[head] == new_lines[head]) ++head;
  std::size_t tail = 0;
  while (tail < had.size() - head && tail < count - head &&
         old_lines[had.size() - 1 - tail] == new_lines[count - 1 - tail]) {
    ++tail;
  }
  std::vector<bool> ends(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from_end = count - 1 - i;
    if (i < head) {
      ends[i] = had[i];
    } else if (from_end < tail) {
      ends[i] = had[had.size() - 1 - from_end];
    } else if (i < had.size()) {
      ends[i] = had[i];
    } else {
      ends[i] = had.empty() ? neighbour_is_crlf(content, region) : had.back();
    }
  }
  return ends;
}

// `text` with its bare "\n" written as `crlf` says; a "\r\n" the model wrote stays.
void append_with_ends(std::string& out, std::string_view text, const std::vector<bool>& crlf) {
  std::size_t line = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      const bool written = i > 0 && text[i - 1] == '\r';
      if (crlf[line] && !written) out += '\r';
      ++line;
    }
    out += text[i];
  }
}

}  // namespace

std::vector<Region> find_matches(std::string_view content, std::string_view old_text) {
  if (content.find('\r') == std::string_view::npos &&
      old_text.find('\r') == std::string_view::npos) {
    return find_exact(content, old_text);
  }
  const Folded folded(content);
  std::vector<Region> found = find_exact(folded.text(), folded_text(old_text));
  for (Region& region : found) {
    region.end = folded.original(region.end);
    region.begin = folded.original(region.begin);
  }
  // An old text that ends with a bare "\r" has no counterpart among whole line ends.
  return found.empty() ? find_exact(content, old_text) : found;
}

std::string replace_regions(std::string_view content, const std::vector<Region>& regions,
                            std::string_view old_text, std::string_view new_text) {
  const bool knows_line_ends = old_text.find("\r\n") != std::string_view::npos;
  const std::string old_folded = folded_text(old_text);
  std::string out;
  out.reserve(content.size() + regions.size() * new_text.size());
  std::size_t at = 0;
  for (const Region& region : regions) {
    out += content.substr(at, region.begin - at);
    const std::string_view matched = content.substr(region.begin, region.end - region.begin);
    if (knows_line_ends && matched == old_text) {
      out += new_text;  // the old text named its line ends, so the new one means its own
    } else {
      append_with_ends(out, new_text, ends_for(content, region, old_folded, new_text));
    }
    at = region.end;
  }
  out += content.substr(at);
  return out;
}

std::size_t line_of(std::string_view content, std::size_t at) {
  const std::string_view before = content.substr(0, at);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace agentd::tools
