#include "tools/numbered_lines.h"

#include <algorithm>

#include "base/utf8.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kNumberWidth = 6;

// The first `characters` characters of valid UTF-8.
std::string_view first_characters(std::string_view text, std::size_t characters) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && characters-- == 0) return text.substr(0, at);
  }
  return text;
}

void append_line(LineWindow& window, std::size_t number, std::string_view line) {
  const std::string digits = std::to_string(number);
  window.text.append(kNumberWidth - std::min(kNumberWidth, digits.size()), ' ');
  window.text += digits;
  window.text += '\t';
  std::string repaired;
  if (!utf8::valid(line)) {
    std::size_t replaced = 0;
    repaired = utf8::repaired(line, &replaced);
    window.replaced += replaced;
    line = repaired;
  }
  const std::string_view shown = first_characters(line, kReadLineCharacters);
  window.text += shown;
  if (shown.size() < line.size()) {
    window.text +=
        " [... " + std::to_string(line.size() - shown.size()) + " more bytes in this line]";
    ++window.lines_cut;
  }
  window.text += '\n';
}

}  // namespace

LineWindow number_lines(std::string_view content, std::size_t first_number, std::size_t limit) {
  LineWindow window;
  std::size_t number = first_number;
  while (!content.empty() && number - first_number < limit) {
    if (window.text.size() >= kReadBytes) {
      window.bytes_full = true;
      break;
    }
    const std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    if (end != std::string_view::npos && !line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    append_line(window, number, line);
    if (window.first == 0) window.first = number;
    window.last = number++;
    content = end == std::string_view::npos ? std::string_view() : content.substr(end + 1);
  }
  window.reached_end = content.empty();
  return window;
}

std::size_t line_offset(std::string_view content, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0; --index) {
    const std::size_t end = content.find('\n', at);
    if (end == std::string_view::npos) return std::string_view::npos;
    at = end + 1;
  }
  return at;
}

std::size_t count_lines(std::string_view content) {
  const auto ends = static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n'));
  return ends + (!content.empty() && content.back() != '\n' ? 1 : 0);
}

}  // namespace agentd::tools
