#include "rpc/framing.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"

namespace agentd::rpc {
namespace {

constexpr std::string_view kContentLength = "content-length";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// A header line longer than this is garbage; its end is kept, a header may begin in it.
constexpr std::size_t kMaxHeaderLine = 16 * 1024;
constexpr std::size_t kKeptOfGarbage = 256;

bool equal_ignoring_case(char a, char b) {
  return ascii::lowered(a) == ascii::lowered(b);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal_ignoring_case);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// A header name as HTTP allows it (RFC 9110, token).
bool is_token(std::string_view name) {
  if (name.empty()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    const bool letter =
        (ascii::lowered(c) >= 'a' && ascii::lowered(c) <= 'z') || (c >= '0' && c <= '9');
    return letter || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::optional<std::uint64_t> parse_length(std::string_view value) {
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (value.empty() || end != value.data() + value.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return UINT64_MAX;
  if (error != std::errc()) return std::nullopt;
  return length;
}

// Where a Content-Length header begins in a line that starts with something else: the rest of a
// body whose length was told too short, then the next header. Not a header of another name that
// ends alike (x-content-length).
std::optional<std::string_view> length_behind_garbage(std::string_view line) {
  const auto found = std::find_end(line.begin(), line.end(), kContentLength.begin(),
                                   kContentLength.end(), equal_ignoring_case);
  if (found == line.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(found - line.begin());
  if (at > 0 && line[at - 1] == '-') return std::nullopt;
  const std::string_view after = trim(line.substr(at + kContentLength.size()));
  if (after.empty() || after.front() != ':') return std::nullopt;
  const std::string_view value = trim(after.substr(1));
  if (!parse_length(value)) return std::nullopt;
  return value;
}

bool is_utf8_content_type(std::string_view value) {
  constexpr std::string_view kCharset = "charset";
  const auto found = std::search(value.begin(), value.end(), kCharset.begin(), kCharset.end(),
                                 equal_ignoring_case);
  if (found == value.end()) return true;
  std::string_view name = trim(value.substr(static_cast<std::size_t>(found - value.begin()) + 7));
  if (name.empty() || name.front() != '=') return true;
  name = trim(name.substr(1));
  name = trim(name.substr(0, name.find(';')));
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return equals_ignoring_case(name, "utf-8") || equals_ignoring_case(name, "utf8");
}

}  // namespace

void FrameReader::feed(std::string_view bytes) {
  buffer_.append(bytes);
}

void FrameReader::finish() {
  finished_ = true;
}

std::optional<Frame> FrameReader::next() {
  if (!decide()) return std::nullopt;
  return framing_ == Framing::lines ? next_by_lines() : next_by_headers();
}

void FrameReader::consume(std::size_t bytes) {
  begin_ += bytes;
  searched_ = 0;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > 64 * 1024 && begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
}

// Skips what may stand before the first message, and settles the framing by its first byte.
bool FrameReader::decide() {
  if (!at_start_) return true;
  if (rest().size() < kByteOrderMark.size() && kByteOrderMark.starts_with(rest()) && !finished_) {
    return false;
  }
  if (rest().starts_with(kByteOrderMark)) consume(kByteOrderMark.size());
  const std::size_t first = rest().find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (framing_ == Framing::automatic) {
    const char byte = rest()[first];
    framing_ = byte == '{' || byte == '[' ? Framing::lines : Framing::headers;
  }
  at_start_ = false;
  return true;
}

std::optional<Frame> FrameReader::next_by_headers() {
  while (true) {
    if (body_) {
      if (rest().size() < *body_) return std::nullopt;
      Frame frame{Frame::Kind::message, std::string(rest().substr(0, *body_))};
      consume(*body_);
      body_.reset();
      lost_ = false;
      return frame;
    }
    const std::size_t line_end = rest().find('\n', searched_);
    if (line_end == std::string_view::npos) {
      searched_ = rest().size();
      drop_endless_line();
      return std::nullopt;
    }
    const std::string line(rest().substr(0, line_end));
    consume(line_end + 1);
    if (auto fault = take_header_line(line)) return fault;
  }
}

// A fault if this line ends a header that is no good; otherwise what it says is noted.
std::optional<Frame> FrameReader::take_header_line(std::string_view line) {
  if (line.size() > kMaxHeaderLine) line = line.substr(line.size() - kKeptOfGarbage);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (trim(line).empty()) return end_of_headers();
  header_begun_ = true;
  const std::size_t colon = line.find(':');
  const std::string_view name = trim(line.substr(0, colon));
  if (colon != std::string_view::npos && equals_ignoring_case(name, kContentLength)) {
    note_content_length(trim(line.substr(colon + 1)));
  } else if (const auto length = length_behind_garbage(line)) {
    header_fault_.clear();
    note_content_length(*length);
  } else if (colon == std::string_view::npos || !is_token(name)) {
    header_fault_ = "a header line without `Name: value`";
  } else if (equals_ignoring_case(name, "content-type") &&
             !is_utf8_content_type(line.substr(colon + 1))) {
    header_fault_ = "Content-Type names a charset other than utf-8";
  }
  return std::nullopt;
}

// The last Content-Length of a header counts.
void FrameReader::note_content_length(std::string_view value) {
  content_length_ = parse_length(value);
  if (!content_length_) header_fault_ = "Content-Length is not a number of bytes";
}

std::optional<Frame> FrameReader::end_of_headers() {
  const bool begun = std::exchange(header_begun_, false);
  const std::optional<std::uint64_t> length = std::exchange(content_length_, std::nullopt);
  std::string fault = std::exchange(header_fault_, {});
  if (!begun) return std::nullopt;
  // With a length the frame is sound, whatever garbage stood before it in the header.
  const bool other_charset = fault.starts_with("Content-Type");
  if (length && *length <= limit_ && !other_charset) {
    body_ = static_cast<std::size_t>(*length);
    return std::nullopt;
  }
  if (std::exchange(lost_, true)) return std::nullopt;
  if (length && *length > limit_) {
    return Frame{Frame::Kind::too_large, "a message of " + std::to_string(*length) +
                                             " bytes; the limit is " + std::to_string(limit_)};
  }
  if (fault.empty()) fault = "a header without Content-Length";
  return Frame{Frame::Kind::malformed, std::move(fault)};
}

void FrameReader::drop_endless_line() {
  if (rest().size() <= kMaxHeaderLine) return;
  header_begun_ = true;
  header_fault_ = "a header line without an end";
  consume(rest().size() - kKeptOfGarbage);
}

std::optional<Frame> FrameReader::next_by_lines() {
  while (true) {
    std::size_t line_end = rest().find('\n', searched_);
    if (line_end == std::string_view::npos) {
      searched_ = rest().size();
      if (skipping_line_) {
        consume(rest().size());
      } else if (rest().size() > limit_) {
        skipping_line_ = true;
        consume(rest().size());
        return Frame{Frame::Kind::too_large,
                     "a line longer than the limit of " + std::to_string(limit_) + " bytes"};
      }
      if (!finished_ || rest().empty()) return std::nullopt;
      line_end = rest().size();
    }
    const std::string line(trim(rest().substr(0, line_end)));
    consume(std::min(line_end + 1, rest().size()));
    if (std::exchange(skipping_line_, false) || line.empty()) continue;
    if (line.size() > limit_) {
      return Frame{Frame::Kind::too_large, "a line of " + std::to_string(line.size()) +
                                               " bytes; the limit is " + std::to_string(limit_)};
    }
    return Frame{Frame::Kind::message, line};
  }
}

void append_frame(std::string& out, Framing framing, std::string_view body) {
  if (framing == Framing::lines) {
    out.append(body);
    out += '\n';
    return;
  }
  out += "Content-Length: ";
  out += std::to_string(body.size());
  out += "\r\n\r\n";
  out.append(body);
}

}  // namespace agentd::rpc
