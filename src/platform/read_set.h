// ReadSet: which files a session has read, and what was in them, by content hash. Write and Edit
// change an existing file only if it is in here unchanged. One per session; its calls' threads
// use it side by side, hence the lock inside.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace agentd::platform {

/// 128 bits over the content: not against an attacker, against accident.
struct ContentHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const ContentHash&) const = default;
};

ContentHash hash_content(std::string_view content);

class ReadSet {
 public:
  /// `path` is canonical (Files::canonical); `content` is the whole file as it is on disk.
  void remember(const std::string& path, std::string_view content);

  enum class State { never_read, unchanged, changed };
  /// How `content`, just read from disk, compares with what the session saw.
  State compare(const std::string& path, std::string_view content) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, ContentHash> seen_;
};

}  // namespace agentd::platform
