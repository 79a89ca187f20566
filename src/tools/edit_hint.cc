// why_not_found() of edit_match.h: the differences that models really make, most telling first:
// line numbers copied along, white space, typographic quotes, one wrong line.
#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "tools/edit_match.h"
#include "tools/text_file.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kShownLines = 12;
constexpr std::size_t kShownBytes = 200;
// Comparisons of lines before the search for the closest place gives up: a file of equal lines
// would cost their square.
constexpr std::size_t kMaxComparisons = 2'000'000;

// Without white space, and with typographic signs as their plain ones.
std::string essence(std::string_view line) {
  struct Sign {
    std::string_view from, to;
  };
  constexpr std::array<Sign, 8> kSigns = {{{"\xE2\x80\x98", "'"},
                                           {"\xE2\x80\x99", "'"},
                                           {"\xE2\x80\x9C", "\""},
                                           {"\xE2\x80\x9D", "\""},
                                           {"\xE2\x80\x93", "-"},
                                           {"\xE2\x80\x94", "-"},
                                           {"\xC2\xA0", ""},
                                           {"\xE2\x80\xAF", ""}}};
  std::string out;
  while (!line.empty()) {
    const auto sign = std::find_if(kSigns.begin(), kSigns.end(), [&](const Sign& candidate) {
      return line.substr(0, candidate.from.size()) == candidate.from;
    });
    if (sign != kSigns.end()) {
      out += sign->to;
      line.remove_prefix(sign->from.size());
      continue;
    }
    if (std::string_view(" \t\r\v\f").find(line.front()) == std::string_view::npos) {
      out += line.front();
    }
    line.remove_prefix(1);
  }
  return out;
}

std::string quoted(std::string_view line) {
  return "`" + utf8::repaired(utf8::head(line, kShownBytes)) + "`";
}

std::vector<std::string_view> lines_without_blank_edges(std::string_view text) {
  std::vector<std::string_view> lines = split_lines(text);
  while (!lines.empty() && ascii::trimmed(lines.back()).empty()) lines.pop_back();
  const auto first = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
    return !ascii::trimmed(line).empty();
  });
  lines.erase(lines.begin(), first);
  return lines;
}

// "    12\t" in front of every line: what Read adds and no file holds.
bool has_line_numbers(const std::vector<std::string_view>& lines) {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const std::size_t digits = line.find_first_not_of(' ');
    if (digits == std::string_view::npos) return false;
    const std::size_t end = line.find_first_not_of("0123456789", digits);
    return end != std::string_view::npos && end > digits && line[end] == '\t';
  });
}

// The best place: where most lines in a row agree in essence, beginning with the first.
struct Closest {
  std::size_t line = 0;  // index of the file's line
  std::size_t agreeing = 0;
};

std::optional<Closest> closest_place(const std::vector<std::string>& file,
                                     const std::vector<std::string>& wanted) {
  std::optional<Closest> best;
  std::size_t compared = 0;
  for (std::size_t at = 0; at < file.size() && compared < kMaxComparisons; ++at) {
    std::size_t same = 0;
    while (same < wanted.size() && at + same < file.size() && file[at + same] == wanted[same]) {
      ++same;
    }
    compared += same + 1;
    if (same > 0 && (!best || same > best->agreeing)) best = Closest{at, same};
  }
  return best;
}

std::string excerpt(const std::vector<std::string_view>& lines, std::size_t at, std::size_t count) {
  std::string text;
  const std::size_t shown = std::min(count, kShownLines);
  for (std::size_t i = at; i < std::min(lines.size(), at + shown); ++i) {
    text += std::string(utf8::repaired(utf8::head(lines[i], kShownBytes)));
    text += '\n';
  }
  if (shown < count) text += "(" + std::to_string(count - shown) + " more lines)\n";
  return text;
}

std::string first_difference(const std::vector<std::string_view>& file, const Closest& place,
                             const std::vector<std::string_view>& wanted) {
  const std::size_t at = place.line + place.agreeing;
  std::string text = place.agreeing == 1 ? "The first line of old_string stands on line "
                                         : "The first " + std::to_string(place.agreeing) +
                                               " lines of old_string stand from line ";
  text += std::to_string(place.line + 1) + ", but then they differ: old_string goes on with " +
          quoted(wanted[place.agreeing]);
  text += at < file.size()
              ? ", line " + std::to_string(at + 1) + " of the file is " + quoted(file[at]) + "."
              : ", where the file ends.";
  return text;
}

}  // namespace

std::string why_not_found(std::string_view content, std::string_view old_text) {
  const std::vector<std::string_view> wanted = lines_without_blank_edges(old_text);
  if (wanted.empty()) return "old_string holds only white space, and the file has no such run.";
  if (has_line_numbers(wanted)) {
    return "old_string seems to hold the line numbers that Read puts in front of each line. Leave "
           "out everything up to and including the tab.";
  }
  if (content.empty()) return "The file is empty.";

  const std::vector<std::string_view> file = split_lines(content);
  std::vector<std::string> file_essence;
  for (const std::string_view line : file) file_essence.push_back(essence(line));
  std::vector<std::string> wanted_essence;
  for (const std::string_view line : wanted) wanted_essence.push_back(essence(line));

  const std::optional<Closest> place = closest_place(file_essence, wanted_essence);
  if (place && place->agreeing == wanted.size()) {
    return "The same text with different white space, quotes or dashes stands from line " +
           std::to_string(place->line + 1) + ". Copy it from there exactly:\n" +
           excerpt(file, place->line, wanted.size());
  }
  if (place && !wanted_essence.front().empty()) return first_difference(file, *place, wanted);
  const std::string& first = wanted_essence.front();
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (first.size() >= 5 && file_essence[i].find(first) != std::string::npos) {
      return "The first line of old_string is only a part of line " + std::to_string(i + 1) +
             ", which reads " + quoted(file[i]) + ".";
    }
  }
  return "Not even its first line, " + quoted(wanted.front()) +
         ", stands in the file. Read the file again before the next edit.";
}

}  // namespace agentd::tools
