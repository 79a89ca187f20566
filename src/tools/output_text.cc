#include "tools/output_text.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "tools/text_file.h"

namespace agentd::tools {
namespace {

// Cut where a line ends, if one ends in the last (first) tenth: half lines confuse.
std::string_view line_head(std::string_view text, std::size_t limit) {
  std::string_view head = utf8::head(text, limit);
  if (head.size() == text.size()) return head;
  const std::size_t end = head.rfind('\n');
  return end != std::string_view::npos && end + head.size() / 10 > head.size()
             ? head.substr(0, end + 1)
             : head;
}

std::string_view line_tail(std::string_view text, std::size_t limit) {
  std::string_view tail = utf8::tail(text, limit);
  if (tail.size() == text.size()) return tail;
  const std::size_t end = tail.find('\n');
  return end != std::string_view::npos && end < tail.size() / 10 ? tail.substr(end + 1) : tail;
}

std::string_view without_incomplete_tail(std::string_view text) {
  return text.substr(0, text.size() - utf8::incomplete_tail(text));
}

// At most three: a fourth continuation byte in a row belongs to no character.
std::string_view without_incomplete_head(std::string_view text) {
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    if ((static_cast<unsigned char>(text.front()) & 0xC0) != 0x80) break;
    text.remove_prefix(1);
  }
  return text;
}

struct Parts {
  std::string_view head;
  std::string_view tail;  // only if something is missing between
  std::uint64_t missing = 0;
};

Parts within(const platform::CapturedOutput& output, std::size_t head_limit,
             std::size_t tail_limit) {
  Parts parts;
  const bool cut_before = output.skipped_bytes > 0;
  const std::string_view head = output.head;
  if (!cut_before && head.size() <= head_limit + tail_limit) {
    parts.head = head;
    return parts;
  }
  // If nothing was skipped while reading, all of it is in `head`.
  parts.head = line_head(without_incomplete_tail(head), head_limit);
  parts.tail =
      line_tail(cut_before ? without_incomplete_head(output.tail) : head.substr(parts.head.size()),
                tail_limit);
  parts.missing = output.total_bytes - parts.head.size() - parts.tail.size();
  return parts;
}

std::string joined(const Parts& parts) {
  if (parts.missing == 0) return std::string(parts.head);
  std::string text(parts.head);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "\n[... " + byte_count(parts.missing) + " left out ...]\n\n";
  text += parts.tail;
  return text;
}

std::size_t replace_nuls(std::string& text) {
  const auto nuls = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\0'));
  if (nuls == 0) return 0;
  std::string out;
  out.reserve(text.size() + 2 * nuls);
  for (const char c : text) {
    if (c == '\0') {
      out += "\xEF\xBF\xBD";
    } else {
      out += c;
    }
  }
  text = std::move(out);
  return nuls;
}

bool mostly_binary(std::string_view bytes) {
  const std::string_view sample = bytes.substr(0, 4096);
  std::size_t replaced = 0;
  (void)utf8::repaired(without_incomplete_tail(sample), &replaced);
  const auto controls =
      static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\b' &&
               byte != '\f' && byte != 0x1B && byte != 0;
      }));
  const auto nuls = static_cast<std::size_t>(std::count(sample.begin(), sample.end(), '\0'));
  // NULs between names (find -print0) are text; a tenth of anything else odd is not. Few bytes
  // prove nothing, they are shown.
  const std::size_t odd = replaced + controls + (nuls > sample.size() / 5 ? nuls : 0);
  return sample.size() >= 64 && odd > sample.size() / 10;
}

}  // namespace

OutputText output_text(const platform::CapturedOutput& output, std::size_t head_limit,
                       std::size_t tail_limit) {
  if (mostly_binary(output.head)) {
    return {"(binary output, " + byte_count(output.total_bytes) + ", looks like " +
                describe_binary(output.head) +
                ": not shown; write it to a file or pipe it through `xxd | head`)",
            false, true};
  }
  const Parts parts = within(output, head_limit, tail_limit);
  OutputText made{joined(parts), parts.missing > 0, false};
  std::size_t replaced = 0;
  if (!utf8::valid(made.text)) made.text = utf8::repaired(made.text, &replaced);
  replaced += replace_nuls(made.text);
  if (replaced > 0) {
    if (made.text.back() != '\n') made.text += '\n';
    made.text += "(" + std::to_string(replaced) +
                 " byte sequences that are not text were replaced by \xEF\xBF\xBD)";
  }
  return made;
}

std::string byte_count(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr std::array<const char*, 4> kUnits = {" KB", " MB", " GB", " TB"};
  std::uint64_t scaled = bytes;
  std::size_t unit = 0;
  while (scaled >= 1024 * 1024 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  const std::uint64_t tenths = scaled * 10 / 1024;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + kUnits[unit];
}

std::string Utf8Stream::take(std::string_view chunk) {
  held_ += chunk;
  const std::size_t whole = held_.size() - utf8::incomplete_tail(held_);
  std::string text = utf8::repaired(std::string_view(held_).substr(0, whole));
  held_.erase(0, whole);
  return text;
}

std::string Utf8Stream::finish() {
  std::string text = utf8::repaired(held_);
  held_.clear();
  return text;
}

}  // namespace agentd::tools
