// TemporaryDirectory: a private place (mode 0700) below $TMPDIR for what agentd keeps while it
// runs. Made when first needed, removed with everything in it. One owner, one thread at a time.
#pragma once

#include <string>

#include "base/result.h"

namespace agentd::platform {

class TemporaryDirectory {
 public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  /// Its path; makes it if it does not exist yet.
  Result<std::string> path();

 private:
  std::string path_;
};

}  // namespace agentd::platform
