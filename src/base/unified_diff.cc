// Lines are numbered by content, the common beginning and end are set aside, and the middle goes
// through Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986) with a bound on D.
#include "base/unified_diff.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/lines.h"
#include "base/utf8.h"

namespace agentd {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMaxText = 128 * 1024;
// The trace needs D * D integers: 4 MB. Past it a line-by-line account helps nobody.
constexpr std::ptrdiff_t kMaxEdits = 1000;

enum class Op { keep, remove, add };

struct Texts {
  std::vector<std::string_view> before;
  std::vector<std::string_view> after;
  std::vector<int> a;  // before, lines as numbers
  std::vector<int> b;
  bool before_ends_open = false;  // no final line end
  bool after_ends_open = false;
};

bool ends_open(std::string_view text) {
  return !text.empty() && text.back() != '\n';
}

Texts numbered(std::string_view before, std::string_view after) {
  Texts texts;
  texts.before = split_lines(before);
  texts.after = split_lines(after);
  texts.before_ends_open = ends_open(before);
  texts.after_ends_open = ends_open(after);
  std::unordered_map<std::string_view, int> numbers;
  const auto number = [&](std::string_view line) {
    return numbers.emplace(line, static_cast<int>(numbers.size())).first->second;
  };
  for (const std::string_view line : texts.before) texts.a.push_back(number(line));
  for (const std::string_view line : texts.after) texts.b.push_back(number(line));
  // A line without its end equals no line that has one.
  const bool same_last =
      texts.before_ends_open && texts.after_ends_open && texts.before.back() == texts.after.back();
  if (texts.before_ends_open) texts.a.back() = -1;
  if (texts.after_ends_open) texts.b.back() = same_last ? -1 : -2;
  return texts;
}

// The part of both sides that is compared line by line.
struct Middle {
  const int* a;
  std::ptrdiff_t n;
  const int* b;
  std::ptrdiff_t m;
};

// One vector of furthest reaching points per edit; nullopt if more than kMaxEdits are needed.
std::optional<std::vector<std::vector<int>>> trace(const Middle& middle) {
  const std::ptrdiff_t bound = std::min(middle.n + middle.m, kMaxEdits);
  std::vector<std::vector<int>> rows;
  std::vector<int> reach(static_cast<std::size_t>(2 * bound + 3), 0);
  const auto at = [&](std::ptrdiff_t k) -> int& {
    return reach[static_cast<std::size_t>(k + bound + 1)];
  };
  for (std::ptrdiff_t d = 0; d <= bound; ++d) {
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      std::ptrdiff_t x = down ? at(k + 1) : at(k - 1) + 1;
      while (x < middle.n && x - k < middle.m && middle.a[x] == middle.b[x - k]) ++x;
      at(k) = static_cast<int>(x);
      if (x >= middle.n && x - k >= middle.m) {
        rows.emplace_back(reach.begin() + (bound + 1 - d), reach.begin() + (bound + 2 + d));
        return rows;
      }
    }
    rows.emplace_back(reach.begin() + (bound + 1 - d), reach.begin() + (bound + 2 + d));
  }
  return std::nullopt;
}

std::vector<Op> walk_back(const Middle& middle, const std::vector<std::vector<int>>& rows) {
  std::vector<Op> ops;
  std::ptrdiff_t x = middle.n;
  std::ptrdiff_t y = middle.m;
  for (auto d = static_cast<std::ptrdiff_t>(rows.size()) - 1; d > 0; --d) {
    const std::vector<int>& row = rows[static_cast<std::size_t>(d - 1)];
    const auto at = [&](std::ptrdiff_t k) { return row[static_cast<std::size_t>(k + d - 1)]; };
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    const std::ptrdiff_t from_k = down ? k + 1 : k - 1;
    const std::ptrdiff_t from_x = at(from_k);
    const std::ptrdiff_t from_y = from_x - from_k;
    while (x > from_x && y > from_y) {
      ops.push_back(Op::keep);
      --x;
      --y;
    }
    ops.push_back(down ? Op::add : Op::remove);
    x = from_x;
    y = from_y;
  }
  ops.insert(ops.end(), static_cast<std::size_t>(x), Op::keep);
  std::reverse(ops.begin(), ops.end());
  return ops;
}

std::vector<Op> middle_ops(const Middle& middle) {
  if (middle.n > 0 && middle.m > 0) {
    if (const auto rows = trace(middle)) return walk_back(middle, *rows);
  }
  std::vector<Op> ops(static_cast<std::size_t>(middle.n), Op::remove);
  ops.insert(ops.end(), static_cast<std::size_t>(middle.m), Op::add);
  return ops;
}

std::vector<Op> edit_script(const Texts& texts) {
  const std::size_t shorter = std::min(texts.a.size(), texts.b.size());
  std::size_t head = 0;
  while (head < shorter && texts.a[head] == texts.b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         texts.a[texts.a.size() - 1 - tail] == texts.b[texts.b.size() - 1 - tail]) {
    ++tail;
  }
  std::vector<Op> ops(head, Op::keep);
  const std::vector<Op> middle = middle_ops(
      {texts.a.data() + head, static_cast<std::ptrdiff_t>(texts.a.size() - head - tail),
       texts.b.data() + head, static_cast<std::ptrdiff_t>(texts.b.size() - head - tail)});
  ops.insert(ops.end(), middle.begin(), middle.end());
  ops.insert(ops.end(), tail, Op::keep);
  return ops;
}

// Writes hunks: walks the script once with the position on both sides.
class HunkWriter {
 public:
  HunkWriter(const Texts& texts, const std::vector<Op>& ops) : texts_(texts), ops_(ops) {}

  Diff write(std::string header) {
    diff_.text = std::move(header);
    std::size_t at = 0;
    while (true) {
      std::size_t change = at;
      while (change < ops_.size() && ops_[change] == Op::keep) ++change;
      if (change == ops_.size()) return std::move(diff_);
      const std::size_t begin = change - std::min(kContext, change - at);
      skip_to(begin, at);
      const std::size_t end = hunk_end(change);
      hunk(begin, end);
      at = end;
    }
  }

 private:
  void skip_to(std::size_t begin, std::size_t at) {
    old_line_ += begin - at;
    new_line_ += begin - at;
  }

  // Changes closer than twice the context share a hunk.
  std::size_t hunk_end(std::size_t change) const {
    std::size_t last = change;
    for (std::size_t i = change; i < ops_.size() && i - last <= 2 * kContext; ++i) {
      if (ops_[i] != Op::keep) last = i;
    }
    return std::min(ops_.size(), last + 1 + kContext);
  }

  void hunk(std::size_t begin, std::size_t end) {
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (ops_[i] != Op::add) ++old_count;
      if (ops_[i] != Op::remove) ++new_count;
    }
    append("@@ -" + range(old_line_, old_count) + " +" + range(new_line_, new_count) + " @@\n");
    for (std::size_t i = begin; i < end; ++i) line(ops_[i]);
  }

  // Lines count from 1; an empty range names the line before it.
  static std::string range(std::size_t line, std::size_t count) {
    if (count == 1) return std::to_string(line + 1);
    return std::to_string(count == 0 ? line : line + 1) + "," + std::to_string(count);
  }

  void line(Op op) {
    switch (op) {
      case Op::keep:
        put(' ', texts_.before[old_line_], last_open_old());
        ++old_line_;
        ++new_line_;
        return;
      case Op::remove:
        put('-', texts_.before[old_line_], last_open_old());
        ++old_line_;
        ++diff_.removed;
        return;
      case Op::add:
        put('+', texts_.after[new_line_], last_open_new());
        ++new_line_;
        ++diff_.added;
        return;
    }
  }

  bool last_open_old() const {
    return texts_.before_ends_open && old_line_ + 1 == texts_.before.size();
  }
  bool last_open_new() const {
    return texts_.after_ends_open && new_line_ + 1 == texts_.after.size();
  }

  void put(char mark, std::string_view text, bool open) {
    append(std::string(1, mark) + std::string(text) + "\n");
    if (open) append("\\ No newline at end of file\n");
  }

  // Past the bound lines are still counted, no longer written.
  void append(const std::string& text) {
    if (cut_) return;
    if (diff_.text.size() + text.size() > kMaxText) {
      cut_ = true;
      diff_.text += "(the rest of the diff is left out)\n";
      return;
    }
    diff_.text += text;
  }

  const Texts& texts_;
  const std::vector<Op>& ops_;
  Diff diff_;
  std::size_t old_line_ = 0;
  std::size_t new_line_ = 0;
  bool cut_ = false;
};

}  // namespace

Diff unified_diff(std::string_view path, std::string_view before, std::string_view after,
                  bool created) {
  if (before == after && !created) return {};
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  const std::string header = "--- " + (created ? "/dev/null" : "a/" + std::string(path)) +
                             "\n+++ b/" + std::string(path) + "\n";
  const Texts texts = numbered(before, after);
  const std::vector<Op> ops = edit_script(texts);
  Diff diff = HunkWriter(texts, ops).write(header);
  if (!utf8::valid(diff.text)) diff.text = utf8::repaired(diff.text);
  return diff;
}

}  // namespace agentd
