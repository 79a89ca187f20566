#include "session/file_rewind_plan.h"

#include <variant>

namespace agentd::session {
namespace {

using agent::FileBefore;
using platform::ContentHash;
using Why = FileConflict::Why;

struct Absent {
  bool operator==(const Absent&) const { return true; }
};
struct Unknown {
  bool operator==(const Unknown&) const { return false; }  // as nothing, not even itself
};
using Content = std::variant<Absent, ContentHash, Unknown>;

Content before(const FileChange& change) {
  switch (change.was) {
    case FileBefore::Was::absent:
      return Absent{};
    case FileBefore::Was::kept:
      if (change.before) return *change.before;
      return Unknown{};
    case FileBefore::Was::not_kept:
      return Unknown{};
  }
  return Unknown{};
}

Content after(const FileChange& change) {
  if (change.after) return *change.after;
  return Absent{};
}

Content content_of(const FileNow& now) {
  switch (now.is) {
    case FileNow::Is::absent:
      return Absent{};
    case FileNow::Is::regular:
      return now.hash;
    case FileNow::Is::other:
      return Unknown{};
  }
  return Unknown{};
}

// A change may not have been made at all: it failed, or agentd died before it.
bool left_by(const FileChange& change, const Content& content) {
  return content == after(change) || content == before(change);
}

// Unless both are known nothing can be said against it.
bool touched_between(const FileChange& earlier, const FileChange& later) {
  const Content found = before(later);
  if (std::holds_alternative<Unknown>(found)) return false;
  if (found == after(earlier)) return false;
  const Content was = before(earlier);
  return !std::holds_alternative<Unknown>(was) && found != was;
}

// Why the file at the end of `changes` (one or more, of one path) cannot become what it was.
std::optional<Why> conflict_of(const std::vector<FileChange>& changes, const FileNow& now) {
  if (now.is == FileNow::Is::other) return Why::not_restorable;
  if (!left_by(changes.back(), content_of(now))) {
    return now.is == FileNow::Is::absent ? Why::removed : Why::changed;
  }
  for (std::size_t i = 1; i < changes.size(); ++i) {
    if (touched_between(changes[i - 1], changes[i])) return Why::changed_between;
  }
  const FileChange& first = changes.front();
  if (std::holds_alternative<Unknown>(before(first))) return Why::never_kept;
  if (first.was == FileBefore::Was::kept && !first.stored) return Why::dropped;
  return std::nullopt;
}

}  // namespace

std::string describe(const FileConflict& conflict) {
  switch (conflict.why) {
    case Why::changed:
      return "it was changed since by somebody else";
    case Why::removed:
      return "it was removed since by somebody else";
    case Why::changed_between:
      return "somebody else changed it between two changes of the agent, which would be lost";
    case Why::not_restorable:
      return conflict.detail;
    case Why::never_kept:
      return "what it was is not known: it was too large to be kept, or could not be read";
    case Why::dropped:
      return "what it was is not kept any more: it gave way to newer contents";
  }
  return {};
}

FileRewindPlan plan_file_rewind(const std::vector<FileChange>& changes,
                                const std::map<std::string, FileNow>& now) {
  std::map<std::string, std::vector<FileChange>> by_path;
  for (const FileChange& change : changes) by_path[change.path].push_back(change);
  FileRewindPlan plan;
  for (const auto& [path, of_path] : by_path) {
    const FileNow& there = now.at(path);
    const FileChange& first = of_path.front();
    if (content_of(there) == before(first)) continue;
    if (const auto why = conflict_of(of_path, there)) {
      plan.conflicts.push_back({path, *why, there.fault});
    } else {
      plan.files.push_back({path, first.before, first.mode});
    }
  }
  return plan;
}

}  // namespace agentd::session
