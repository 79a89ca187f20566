#include "context/changed_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/unified_diff.h"
#include "base/utf8.h"

namespace agentd::context {
namespace {

using platform::FileStamp;
using platform::ReadSet;
using What = ChangedFile::What;

bool settled(const FileStamp& stamp, std::chrono::system_clock::time_point now) {
  constexpr std::chrono::seconds kSettles{2};
  const auto modified = std::chrono::nanoseconds(stamp.modified_ns);
  return now.time_since_epoch() - modified > kSettles;
}

bool is_text(std::string_view content) {
  return content.substr(0, 8 * 1024).find('\0') == std::string_view::npos;
}

std::string shown_diff(const ReadSet::Entry& entry, std::string_view content) {
  if (!entry.content || !is_text(*entry.content) || !is_text(content)) return {};
  Diff diff = unified_diff(entry.path, *entry.content, content);
  if (diff.text.size() <= kChangedDiffBytes) return std::move(diff.text);
  std::string cut(utf8::head(diff.text, kChangedDiffBytes));
  cut.resize(cut.rfind('\n') + 1);
  return cut + "[... cut here: " + std::to_string(diff.added) + " lines added, " +
         std::to_string(diff.removed) + " removed in all]\n";
}

ChangedFile gone(const ReadSet::Entry& entry, const Error& error, ReadSet& read_set) {
  read_set.forget(entry.path);
  const bool deleted = error.code == Code::not_found;
  return {entry.path, deleted ? What::deleted : What::unreadable, {}};
}

// The path is canonical: a link that is there now was put there since, and may lead anywhere.
std::optional<ChangedFile> look_at(const ReadSet::Entry& entry, ReadSet& read_set,
                                   platform::Files& files,
                                   std::chrono::system_clock::time_point now) {
  const auto info = files.info(entry.path, platform::Links::refuse);
  if (!info) return gone(entry, info.error(), read_set);
  const FileStamp stamp{info->size, info->modified_ns};
  if (entry.unchanged_at == stamp && settled(stamp, now)) return std::nullopt;
  const auto content = files.read(entry.path, kChangedFileBytes, platform::Links::refuse);
  if (!content) return gone(entry, content.error(), read_set);
  if (platform::hash_content(*content) == entry.hash) {
    read_set.confirm(entry.path, entry.hash, stamp);
    return std::nullopt;
  }
  std::string diff = shown_diff(entry, *content);
  read_set.remember(entry.path, *content);
  return ChangedFile{entry.path, What::changed, std::move(diff)};
}

}  // namespace

std::vector<ChangedFile> changed_files(ReadSet& read_set, platform::Files& files,
                                       std::chrono::system_clock::time_point now) {
  std::vector<ChangedFile> changed;
  for (const ReadSet::Entry& entry : read_set.entries()) {
    if (auto file = look_at(entry, read_set, files, now)) changed.push_back(std::move(*file));
  }
  return changed;
}

Attachment changed_file_attachment(const ChangedFile& file) {
  std::string text;
  switch (file.what) {
    case What::changed:
      text =
          "This file has changed on disk since you read it: the user or a program wrote it. "
          "Take the change as meant, and do not undo it unless you are asked to.";
      text += file.diff.empty() ? " Read it again before you rely on it." : "\n" + file.diff;
      break;
    case What::deleted:
      text = "This file, which you have read, is no longer there.";
      break;
    case What::unreadable:
      text =
          "This file, which you have read, can no longer be read as it was: it is not a regular "
          "file any more, too large, or access is refused.";
      break;
  }
  return {AttachmentKind::changed_file, file.path, std::move(text)};
}

}  // namespace agentd::context
