// Finding and replacing the old text of an Edit. Matching is exact but for line ends: "\n" in the
// old text also stands for "\r\n" in the file, so that a model need not know which a file has. The
// replacement touches only lines that differ, and gives new lines the line end of their
// neighbours. Pure functions over bytes; no pattern language, so `$&`, `%` and `\1` are literal.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentd::tools {

struct Region {
  std::size_t begin = 0;  // bytes of the file
  std::size_t end = 0;
};

/// Every non-overlapping place in `content` where `old_text` stands, found one after the other: a
/// file may hold millions. `content` outlives it; `old_text` is not empty.
class Matches {
 public:
  Matches(std::string_view content, std::string_view old_text);
  ~Matches();
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;

  std::optional<Region> next();

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

/// Lines a message names before it counts the rest.
inline constexpr std::size_t kNamedLines = 10;

struct MatchSummary {
  std::size_t count = 0;
  std::size_t distinct_lines = 0;
  std::vector<std::size_t> lines;  // the first kNamedLines on which a match begins, from 1
};

MatchSummary summary(std::string_view content, std::string_view old_text);

/// `content` with each match replaced by `new_text`; nothing if that is larger than `limit`, which
/// it never holds more than by one replacement.
std::optional<std::string> replace_matches(std::string_view content, std::string_view old_text,
                                           std::string_view new_text, std::size_t limit);

/// For a text that was not found: what stands closest and how it differs, as sentences for the
/// model. Never empty.
std::string why_not_found(std::string_view content, std::string_view old_text);

}  // namespace agentd::tools
