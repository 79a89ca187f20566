// CheckpointedFiles: the files of one call, with every change told to Checkpoints before it is
// made. Used by the call's thread, which owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/checkpoints.h"
#include "platform/files.h"

namespace agentd::agent {

class CheckpointedFiles final : public platform::Files {
 public:
  /// Larger files are changed without their content being kept. Write and Edit refuse them anyway.
  static constexpr std::uint64_t kLargestKept = 16 * 1024 * 1024;  // bytes

  /// `files` outlives it.
  CheckpointedFiles(platform::Files& files, std::shared_ptr<Checkpoints> checkpoints,
                    std::string tool_use_id);

  Result<platform::FileInfo> info(const std::string& path, platform::Links links) override;
  Result<std::string> read(const std::string& path, std::uint64_t limit,
                           platform::Links links) override;
  Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                 std::uint64_t length, platform::Links links) override;
  Result<void> replace(const std::string& path, std::string_view content,
                       platform::Links links) override;
  Result<void> replace_with_mode(const std::string& path, std::string_view content,
                                 std::uint32_t mode, platform::Links links) override;
  Result<void> remove(const std::string& path, platform::Links links) override;
  Result<std::string> canonical(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path, platform::Links links) override;

 private:
  void keep_before(const std::string& path, std::string_view content);

  platform::Files& files_;
  std::shared_ptr<Checkpoints> checkpoints_;
  std::string tool_use_id_;
};

}  // namespace agentd::agent
