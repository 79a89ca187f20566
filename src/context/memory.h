// Memory files: what the user and the project want every session to know (AGENTS.md, CLAUDE.md and
// their kin), with the files they import. Reads the disk: not on a thread that must not wait.
//
// Told in this order, so that the nearer one has the last word: the user's own, then for each
// directory from the repository's root down to the working directory AGENTS.md, CLAUDE.md,
// .claude/CLAUDE.md and CLAUDE.local.md, then the project's MEMORY.md below the user's home. A file
// that is a link to another, or has the content of another in its directory, is told once. What a
// file imports stands right behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "context/attachment.h"
#include "platform/files.h"

namespace agentd::context {

inline constexpr std::size_t kMemoryFileBytes = 40'000;    // of one file; the rest is cut
inline constexpr std::size_t kMemoryTotalBytes = 160'000;  // of one call's files together
inline constexpr std::size_t kMemoryNoteBytes = 25'000;    // of MEMORY.md
inline constexpr std::size_t kMemoryNoteLines = 200;
inline constexpr int kImportHops = 4;

/// Where to look. Paths are absolute; an empty one is not there.
struct MemoryPlaces {
  std::string home;    // the user's
  std::string config;  // $XDG_CONFIG_HOME, or ~/.config
  std::string root;    // of the repository; empty: the working directory alone
  std::string cwd;
  /// The workspace is trusted: its files may import from outside of it, and may be links that lead
  /// there. The user's own files may import anything.
  bool trusted = false;
};

struct MemoryFile {
  std::string path;  // as found, links not resolved
  std::string text;  // valid UTF-8, "\n" line ends, without byte order mark and comments
  bool truncated = false;
};

struct Memory {
  std::vector<MemoryFile> files;
  std::vector<std::string> notes;  // what was not read and why, one sentence each, for people
};

/// Canonical paths that a session has been told of, refused ones too. The caller keeps it; clear it
/// after a compaction.
using ToldMemory = std::set<std::string>;

Memory find_memory_files(const MemoryPlaces& places, platform::Files& files, ToldMemory& told);

/// The memory files that stand between the repository's root (or the working directory) and
/// `directory`, where a file has just been read, that were not told yet. None outside of both.
Memory nested_memory(const std::string& directory, const MemoryPlaces& places,
                     platform::Files& files, ToldMemory& told);

Attachment memory_attachment(const MemoryFile& file);

}  // namespace agentd::context
