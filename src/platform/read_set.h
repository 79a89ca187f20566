// ReadSet: which files a session has read, and what was in them, by content hash. Write and Edit
// change an existing file only if it is in here unchanged, and what changes on disk meanwhile is
// told to the model with a diff. One per session; its calls' threads use it side by side, hence
// the lock inside.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agentd::platform {

/// 128 bits over the content: not against an attacker, against accident.
struct ContentHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const ContentHash&) const = default;
};

ContentHash hash_content(std::string_view content);

/// A file's size and time: while both stay what they were, its content need not be read again.
struct FileStamp {
  std::uint64_t size = 0;        // bytes
  std::int64_t modified_ns = 0;  // nanoseconds since the epoch
  bool operator==(const FileStamp&) const = default;
};

class ReadSet {
 public:
  /// Contents are kept for diffs: of a file up to the first bound, of all up to the second; the
  /// longest remembered go first. Their hashes stay.
  static constexpr std::size_t kLargestKept = 256 * 1024;  // bytes
  static constexpr std::size_t kMostKept = 8 * 1024 * 1024;

  /// `path` is canonical (Files::canonical); `content` is the whole file as it is on disk.
  void remember(const std::string& path, std::string_view content);

  enum class State { never_read, unchanged, changed };
  /// How `content`, just read from disk, compares with what the session saw.
  State compare(const std::string& path, std::string_view content) const;

  /// The same after all of the file was shown. A later remember() of other content takes it back.
  void remember_whole(const std::string& path, std::string_view content);
  /// True if the session was shown all of just this content.
  bool seen_whole(const std::string& path, std::string_view content) const;

  struct Entry {
    std::string path;
    ContentHash hash;
    std::shared_ptr<const std::string> content;  // null: too large, or given up for newer ones
    std::optional<FileStamp> unchanged_at;       // the file had this stamp when it was `hash`
    std::uint64_t order = 0;                     // the later remembered, the higher
    std::optional<ContentHash> whole;            // all of that content was shown
  };
  /// All files, by path.
  std::vector<Entry> entries() const;
  /// What an earlier process remembered of a file; its content is not at hand.
  void restore(const std::string& path, const ContentHash& hash,
               const std::optional<ContentHash>& whole);

  /// The file was looked at and is still what `hash` says. Nothing happens if a newer content was
  /// remembered meanwhile.
  void confirm(const std::string& path, const ContentHash& hash, const FileStamp& stamp);

  /// As if never read: the file is gone.
  void forget(const std::string& path);

 private:
  struct Seen {
    ContentHash hash;
    std::optional<ContentHash> whole;
    std::shared_ptr<const std::string> content;
    std::list<std::string>::iterator age;  // in kept_; valid while `content` is set
    std::optional<FileStamp> unchanged_at;
    std::uint64_t order = 0;
  };

  void put(const std::string& path, std::string_view content, bool whole);
  void keep(Seen& seen, const std::string& path, std::string_view content);
  void drop_content(Seen& seen);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Seen> seen_;
  std::list<std::string> kept_;  // paths whose content is kept, longest remembered first
  std::size_t kept_bytes_ = 0;
  std::uint64_t remembered_ = 0;  // how often anything was
};

}  // namespace agentd::platform
