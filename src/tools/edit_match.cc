#include "tools/edit_match.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/lines.h"
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
// before, else "\n". Asked for places in ascending order, it looks at each byte once.
class Neighbours {
 public:
  explicit Neighbours(std::string_view content)
      : content_(content), next_(content.find('\n')), last_(content.rfind('\n')) {}

  // For a region without a line end of its own.
  bool crlf_at(const Region& region) {
    if (next_ != std::string_view::npos && next_ < region.end) {
      next_ = content_.find('\n', region.end);
    }
    const std::size_t end = next_ != std::string_view::npos ? next_ : last_;
    return end != std::string_view::npos && end > 0 && content_[end - 1] == '\r';
  }

 private:
  std::string_view content_;
  std::size_t next_;
  std::size_t last_;
};

// Which of the `count` line ends of the new text are "\r\n". Lines that are the same at the
// beginning and end of both texts keep theirs; those between take after the last kept one.
std::vector<bool> ends_for(std::string_view matched, const Region& region, Neighbours& neighbours,
                           std::string_view old_folded, std::string_view new_text) {
  const std::vector<bool> had = crlf_ends(matched);
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
      ends[i] = had.empty() ? neighbours.crlf_at(region) : had.back();
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

struct Matches::Search {
  std::optional<Folded> folded;  // where the content has carriage returns
  std::string needle;
  std::string_view haystack;
  std::size_t at = 0;
};

Matches::Matches(std::string_view content, std::string_view old_text)
    : search_(std::make_unique<Search>()) {
  Search& search = *search_;
  search.haystack = content;
  search.needle = old_text;
  if (content.find('\r') == std::string_view::npos &&
      old_text.find('\r') == std::string_view::npos) {
    return;
  }
  const std::string needle = folded_text(old_text);
  Folded folded(content);
  // An old text that ends with a bare "\r" has no counterpart among whole line ends.
  if (folded.text().find(needle) == std::string::npos) return;
  search.needle = needle;
  search.folded = std::move(folded);
  search.haystack = search.folded->text();
}

Matches::~Matches() = default;

std::optional<Region> Matches::next() {
  const std::size_t begin = search_->haystack.find(search_->needle, search_->at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = begin + search_->needle.size();
  search_->at = end;
  if (!search_->folded) return Region{begin, end};
  return Region{search_->folded->original(begin), search_->folded->original(end)};
}

MatchSummary summary(std::string_view content, std::string_view old_text) {
  MatchSummary found;
  Matches matches(content, old_text);
  std::size_t line = 1;
  std::size_t counted = 0;  // bytes before which line ends were counted
  std::size_t last_line = 0;
  while (const auto region = matches.next()) {
    const std::string_view between = content.substr(counted, region->begin - counted);
    line += static_cast<std::size_t>(std::count(between.begin(), between.end(), '\n'));
    counted = region->begin;
    ++found.count;
    if (line == std::exchange(last_line, line)) continue;
    ++found.distinct_lines;
    if (found.lines.size() < kNamedLines) found.lines.push_back(line);
  }
  return found;
}

std::optional<std::string> replace_matches(std::string_view content, std::string_view old_text,
                                           std::string_view new_text, std::size_t limit) {
  const bool knows_line_ends = old_text.find("\r\n") != std::string_view::npos;
  const bool takes_ends = new_text.find('\n') != std::string_view::npos &&
                          content.find("\r\n") != std::string_view::npos;
  const std::string old_folded = folded_text(old_text);
  Neighbours neighbours(content);
  Matches matches(content, old_text);
  std::string out;
  std::size_t at = 0;
  while (const auto region = matches.next()) {
    out += content.substr(at, region->begin - at);
    const std::string_view matched = content.substr(region->begin, region->end - region->begin);
    if (!takes_ends || (knows_line_ends && matched == old_text)) {
      out += new_text;  // no ends to choose, or the old text named its own and so does the new
    } else {
      append_with_ends(out, new_text, ends_for(matched, *region, neighbours, old_folded, new_text));
    }
    at = region->end;
    if (out.size() > limit) return std::nullopt;
  }
  out += content.substr(at);
  if (out.size() > limit) return std::nullopt;
  return out;
}

}  // namespace agentd::tools
