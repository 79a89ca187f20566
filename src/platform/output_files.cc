#include "platform/output_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/ids.h"
#include "platform/read_set.h"

namespace agentd::platform {
namespace {

namespace fs = std::filesystem;

// Ids of sessions come from clients: any text, so not a part of a file's name.
std::string prefix_of(const std::string& session_id) {
  const auto hash = hash_content(session_id);
  return std::to_string(hash.high) + '-' + std::to_string(hash.low) + '-';
}

struct OutputFile {
  fs::path path;
  fs::file_time_type written;
  std::uint64_t bytes = 0;
};

// The newest first. What cannot be looked at is left out.
std::vector<OutputFile> files_in(const std::string& directory) {
  std::vector<OutputFile> files;
  std::error_code failed;
  fs::directory_iterator at(directory, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    const fs::directory_entry& entry = *at;
    std::error_code gone;
    if (!entry.is_regular_file(gone) || entry.is_symlink(gone)) continue;
    OutputFile file{entry.path(), entry.last_write_time(gone), entry.file_size(gone)};
    if (!gone) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const OutputFile& a, const OutputFile& b) { return a.written > b.written; });
  return files;
}

}  // namespace

Result<std::string> OutputFiles::directory() {
  if (kept_in_.empty()) return temporary_.path();
  std::error_code failed;
  if (fs::is_directory(kept_in_, failed)) return kept_in_;
  fs::create_directories(kept_in_, failed);
  if (!failed) fs::permissions(kept_in_, fs::perms::owner_all, failed);
  if (failed) return temporary_.path();
  return kept_in_;
}

Result<std::string> OutputFiles::new_path(const std::string& session_id) {
  auto place = directory();
  if (!place) return place;
  RandomIds ids;
  return *place + '/' + prefix_of(session_id) + ids.next("output") + ".txt";
}

void sweep_outputs(const std::string& directory, const OutputLimits& limits) {
  const auto now = fs::file_time_type::clock::now();
  std::uint64_t kept = 0;
  for (const OutputFile& file : files_in(directory)) {
    const bool spared = file.written > now - limits.spared;
    const bool stays = file.written > now - limits.age && kept + file.bytes <= limits.bytes;
    std::error_code ignored;
    if (spared || stays) {
      kept += file.bytes;
    } else {
      fs::remove(file.path, ignored);
    }
  }
}

void remove_outputs(const std::string& directory, const std::string& session_id) {
  const std::string prefix = prefix_of(session_id);
  for (const OutputFile& file : files_in(directory)) {
    std::error_code ignored;
    if (file.path.filename().string().starts_with(prefix)) fs::remove(file.path, ignored);
  }
}

}  // namespace agentd::platform
