// OutputFiles: where the whole outputs of commands are, which the model was shown a part of. Below
// $TMPDIR, gone with the process; or, where sessions are stored, in a directory that outlives it,
// so that a session that goes on still finds them. io thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "platform/temporary_directory.h"

namespace agentd::platform {

class OutputFiles {
 public:
  /// From now on they are kept in `directory` (absolute), which is made for its user alone.
  void keep_in(std::string directory) { kept_in_ = std::move(directory); }

  /// A name that no file has, for an output of that session.
  Result<std::string> new_path(const std::string& session_id);

 private:
  Result<std::string> directory();

  std::string kept_in_;  // empty: temporary_
  TemporaryDirectory temporary_;
};

/// What may stay of kept outputs.
struct OutputLimits {
  std::chrono::hours age{30 * 24};
  std::uint64_t bytes = 1024ull * 1024 * 1024;  // of all together; the oldest go first
  std::chrono::hours spared{1};                 // what is younger stays whatever there is
};

/// Removes what is too old or too much. Blocks on the disk; any thread that may.
void sweep_outputs(const std::string& directory, const OutputLimits& limits = {});

/// Removes those of one session.
void remove_outputs(const std::string& directory, const std::string& session_id);

}  // namespace agentd::platform
