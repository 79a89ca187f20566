#include "model/think_tags.h"

#include <algorithm>
#include <utility>

namespace agentd::model {
namespace {

constexpr std::string_view kOpening = "<think>";
constexpr std::string_view kClosing = "</think>";
constexpr std::string_view kBlank = " \t\r\n";

// How many of the last bytes of `text` may be the beginning of `tag`.
std::size_t beginning_at_end(std::string_view text, std::string_view tag) {
  for (std::size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
    if (text.ends_with(tag.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

void ThinkTags::feed(std::string_view piece, const OnProse& on_prose) {
  held_.append(piece);
  if (where_ == Where::beginning) take_beginning();
  if (where_ == Where::thinking) take_thinking(on_prose);
  if (where_ == Where::gap) take_gap();
  if (where_ == Where::text && !held_.empty()) on_prose(DeltaKind::text, std::exchange(held_, {}));
}

void ThinkTags::take_beginning() {
  const std::size_t at = held_.find_first_not_of(kBlank);
  if (at == std::string::npos) return;
  const std::string_view begun = std::string_view(held_).substr(at);
  if (begun.starts_with(kOpening)) {
    held_.erase(0, at + kOpening.size());
    where_ = Where::thinking;
  } else if (!kOpening.starts_with(begun)) {
    where_ = Where::text;
  }
}

void ThinkTags::take_thinking(const OnProse& on_prose) {
  const std::size_t end = held_.find(kClosing);
  const bool closed = end != std::string::npos;
  const std::size_t length = closed ? end : held_.size() - beginning_at_end(held_, kClosing);
  if (length > 0) on_prose(DeltaKind::thinking, held_.substr(0, length));
  held_.erase(0, closed ? end + kClosing.size() : length);
  if (closed) where_ = Where::gap;
}

// Blank lines between the tag and the text belong to neither.
void ThinkTags::take_gap() {
  held_.erase(0, held_.find_first_not_of(kBlank));
  if (!held_.empty()) where_ = Where::text;
}

void ThinkTags::finish(const OnProse& on_prose) {
  if (held_.empty()) return;
  const bool thinking = where_ == Where::thinking;
  on_prose(thinking ? DeltaKind::thinking : DeltaKind::text, std::exchange(held_, {}));
}

}  // namespace agentd::model
