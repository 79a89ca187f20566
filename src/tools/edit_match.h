// Finding and replacing the old text of an Edit. Matching is exact but for line ends: "\n" in the
// old text also stands for "\r\n" in the file, so that a model need not know which a file has. The
// replacement touches only lines that differ, and gives new lines the line end of their
// neighbours. Pure functions over bytes; no pattern language, so `$&`, `%` and `\1` are literal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agentd::tools {

struct Region {
  std::size_t begin = 0;  // bytes of the file
  std::size_t end = 0;
};

/// Every non-overlapping place in `content` where `old_text` stands. `old_text` is not empty.
std::vector<Region> find_matches(std::string_view content, std::string_view old_text);

/// `content` with each region replaced by `new_text`. Regions come from find_matches().
std::string replace_regions(std::string_view content, const std::vector<Region>& regions,
                            std::string_view old_text, std::string_view new_text);

/// The line on which byte `at` stands, from 1.
std::size_t line_of(std::string_view content, std::size_t at);

/// For a text that was not found: what stands closest and how it differs, as sentences for the
/// model. Never empty.
std::string why_not_found(std::string_view content, std::string_view old_text);

}  // namespace agentd::tools
