#include "agent/checkpointed_files.h"

#include <optional>
#include <utility>

namespace agentd::agent {
namespace {

using platform::Links;
using Was = FileBefore::Was;

// Nothing of what is not a regular file, or is reached by a link: the change will fail.
std::optional<FileBefore> look(const std::string& path, platform::Files& files) {
  FileBefore before;
  before.path = path;
  const auto info = files.info(path, Links::refuse);
  if (!info) {
    if (info.error().code == Code::not_found) return before;
    return std::nullopt;
  }
  if (info->kind != platform::FileKind::regular) return std::nullopt;
  before.mode = info->mode;
  auto content = files.read(path, CheckpointedFiles::kLargestKept, Links::refuse);
  before.was = content ? Was::kept : Was::not_kept;
  if (content) before.content = std::move(*content);
  return before;
}

}  // namespace

CheckpointedFiles::CheckpointedFiles(platform::Files& files,
                                     std::shared_ptr<Checkpoints> checkpoints,
                                     std::string tool_use_id)
    : files_(files), checkpoints_(std::move(checkpoints)), tool_use_id_(std::move(tool_use_id)) {}

Result<platform::FileInfo> CheckpointedFiles::info(const std::string& path, Links links) {
  return files_.info(path, links);
}

Result<std::string> CheckpointedFiles::read(const std::string& path, std::uint64_t limit,
                                            Links links) {
  return files_.read(path, limit, links);
}

Result<std::string> CheckpointedFiles::read_range(const std::string& path, std::uint64_t offset,
                                                  std::uint64_t length, Links links) {
  return files_.read_range(path, offset, length, links);
}

// The path is resolved here, so that what is kept and what is changed are one file.
Result<void> CheckpointedFiles::replace(const std::string& path, std::string_view content,
                                        Links links) {
  if (links == Links::refuse) {
    keep_before(path, content);
    return files_.replace(path, content, links);
  }
  auto target = files_.canonical(path);
  if (!target) return target.error();
  keep_before(*target, content);
  return files_.replace(*target, content, Links::refuse);
}

// A content that stays what it was needs no way back.
void CheckpointedFiles::keep_before(const std::string& path, std::string_view content) {
  auto before = look(path, files_);
  if (!before || (before->was == Was::kept && before->content == content)) return;
  before->intended = platform::hash_content(content);
  checkpoints_->before_change(tool_use_id_, std::move(*before));
}

// No tool sets modes or removes files but by Bash, whose changes are not kept.
Result<void> CheckpointedFiles::replace_with_mode(const std::string& path, std::string_view content,
                                                  std::uint32_t mode, Links links) {
  return files_.replace_with_mode(path, content, mode, links);
}

Result<void> CheckpointedFiles::remove(const std::string& path, Links links) {
  return files_.remove(path, links);
}

Result<std::string> CheckpointedFiles::canonical(const std::string& path) {
  return files_.canonical(path);
}

Result<std::vector<std::string>> CheckpointedFiles::list(const std::string& path, Links links) {
  return files_.list(path, links);
}

}  // namespace agentd::agent
