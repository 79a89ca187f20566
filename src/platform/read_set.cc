#include "platform/read_set.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace agentd::platform {
namespace {

__extension__ using Wide = unsigned __int128;

// Digits of pi (as in Blowfish's P-array): arbitrary, odd, without a pattern.
constexpr std::uint64_t kPi0 = 0x243F6A8885A308D3ULL;
constexpr std::uint64_t kPi1 = 0x13198A2E03707345ULL;
constexpr std::uint64_t kPi2 = 0xA4093822299F31D1ULL;
constexpr std::uint64_t kPi3 = 0x082EFA98EC4E6C89ULL;

// One full multiplication folded in half: every input bit reaches about half the output bits.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Two lanes over the same words with their own constants. Each lane keeps its state beside the
// product, so that a word which makes one factor zero does not wipe out what came before.
struct Lanes {
  std::uint64_t high = kPi0;
  std::uint64_t low = kPi1;

  void take(std::uint64_t first, std::uint64_t second) {
    high = mix(first ^ kPi2, second ^ high) + (high << 1 | high >> 63);
    low = mix(second ^ kPi3, first ^ low) + (low << 3 | low >> 61);
  }
};

}  // namespace

ContentHash hash_content(std::string_view content) {
  Lanes lanes;
  std::size_t at = 0;
  for (; at + 16 <= content.size(); at += 16) {
    std::uint64_t words[2];
    std::memcpy(words, content.data() + at, 16);
    lanes.take(words[0], words[1]);
  }
  std::uint64_t last[2] = {0, 0};
  std::memcpy(last, content.data() + at, content.size() - at);
  lanes.take(last[0], last[1]);
  lanes.take(content.size(), kPi0);  // tells trailing zero bytes from padding
  return {mix(lanes.high, kPi1 ^ lanes.low), mix(lanes.low, kPi2 ^ lanes.high)};
}

void ReadSet::remember(const std::string& path, std::string_view content) {
  put(path, content, false);
}

void ReadSet::remember_whole(const std::string& path, std::string_view content) {
  put(path, content, true);
}

void ReadSet::put(const std::string& path, std::string_view content, bool whole) {
  const ContentHash hash = hash_content(content);
  std::lock_guard lock(mutex_);
  Seen& seen = seen_[path];
  const bool same = seen.content && seen.hash == hash;
  if (!same) {
    drop_content(seen);
    seen.unchanged_at.reset();
    keep(seen, path, content);
  }
  seen.hash = hash;
  seen.order = ++remembered_;
  if (whole) seen.whole = hash;
}

void ReadSet::keep(Seen& seen, const std::string& path, std::string_view content) {
  if (content.size() > kLargestKept) return;
  seen.content = std::make_shared<const std::string>(content);
  seen.age = kept_.insert(kept_.end(), path);
  kept_bytes_ += content.size();
  while (kept_bytes_ > kMostKept) drop_content(seen_.find(kept_.front())->second);
}

void ReadSet::drop_content(Seen& seen) {
  if (!seen.content) return;
  kept_bytes_ -= seen.content->size();
  kept_.erase(seen.age);
  seen.content.reset();
}

ReadSet::State ReadSet::compare(const std::string& path, std::string_view content) const {
  std::lock_guard lock(mutex_);
  const auto found = seen_.find(path);
  if (found == seen_.end()) return State::never_read;
  return found->second.hash == hash_content(content) ? State::unchanged : State::changed;
}

bool ReadSet::seen_whole(const std::string& path, std::string_view content) const {
  std::lock_guard lock(mutex_);
  const auto found = seen_.find(path);
  return found != seen_.end() && found->second.whole == hash_content(content);
}

std::vector<ReadSet::Entry> ReadSet::entries() const {
  std::vector<Entry> all;
  {
    std::lock_guard lock(mutex_);
    all.reserve(seen_.size());
    for (const auto& [path, seen] : seen_) {
      all.push_back({path, seen.hash, seen.content, seen.unchanged_at, seen.order, seen.whole});
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return all;
}

void ReadSet::restore(const std::string& path, const ContentHash& hash,
                      const std::optional<ContentHash>& whole) {
  std::lock_guard lock(mutex_);
  Seen& seen = seen_[path];
  drop_content(seen);
  seen = {.hash = hash,
          .whole = whole,
          .content = nullptr,
          .age = {},
          .unchanged_at = {},
          .order = ++remembered_};
}

void ReadSet::confirm(const std::string& path, const ContentHash& hash, const FileStamp& stamp) {
  std::lock_guard lock(mutex_);
  const auto found = seen_.find(path);
  if (found != seen_.end() && found->second.hash == hash) found->second.unchanged_at = stamp;
}

void ReadSet::forget(const std::string& path) {
  std::lock_guard lock(mutex_);
  const auto found = seen_.find(path);
  if (found == seen_.end()) return;
  drop_content(found->second);
  seen_.erase(found);
}

}  // namespace agentd::platform
