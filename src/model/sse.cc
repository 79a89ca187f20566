#include "model/sse.h"

#include <cstring>

namespace agentd::model {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The first CR or LF, or npos. LF first: nearly every stream has nothing else.
std::size_t find_line_end(std::string_view text) {
  const std::size_t line_feed = text.find('\n');
  const std::string_view before = text.substr(0, line_feed);
  const std::size_t carriage_return = before.find('\r');
  return carriage_return != std::string_view::npos ? carriage_return : line_feed;
}

}  // namespace

bool SseReader::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty() && !too_large_) {
    if (skip_line_feed_) {
      skip_line_feed_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = find_line_end(bytes);
    if (end == std::string_view::npos) {
      partial_line_.append(bytes);
      too_large_ = partial_line_.size() + data_.size() > largest_event_;
      break;
    }
    if (partial_line_.empty()) {
      take_line(bytes.substr(0, end), Lives::in_the_chunk, on_event);
    } else {
      partial_line_.append(bytes.substr(0, end));
      take_line(partial_line_, Lives::in_the_buffer, on_event);
      partial_line_.clear();
    }
    skip_line_feed_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
  }
  keep_view();
  return !too_large_;
}

bool SseReader::finish(const OnEvent& on_event) {
  if (too_large_) return false;
  if (!partial_line_.empty()) take_line(partial_line_, Lives::in_the_buffer, on_event);
  partial_line_.clear();
  dispatch(on_event);
  return true;
}

void SseReader::take_line(std::string_view line, Lives lives, const OnEvent& on_event) {
  if (first_line_) {
    first_line_ = false;
    if (line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      line.remove_prefix(kByteOrderMark.size());
    }
  }
  if (line.empty()) {
    dispatch(on_event);
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "data") {
    take_data(value, lives);
  } else if (field == "event") {
    name_.assign(value);
  }
}

void SseReader::take_data(std::string_view value, Lives lives) {
  if (!has_data_ && lives == Lives::in_the_chunk) {
    data_view_ = value;
    viewing_ = true;
  } else {
    keep_view();
    if (has_data_) data_.push_back('\n');
    data_.append(value);
  }
  has_data_ = true;
  too_large_ = data_.size() > largest_event_;
}

void SseReader::dispatch(const OnEvent& on_event) {
  if (has_data_ && !too_large_) on_event(name_, viewing_ ? data_view_ : data_);
  name_.clear();
  data_.clear();
  has_data_ = false;
  viewing_ = false;
}

void SseReader::keep_view() {
  if (!viewing_) return;
  viewing_ = false;
  data_.assign(data_view_);
}

}  // namespace agentd::model
