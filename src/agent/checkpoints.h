// Checkpoints: who keeps what a file was before a call changed it, so that the change can be taken
// back. Behind an interface because the store that keeps it is a higher room (session/).
#pragma once

#include <cstdint>
#include <string>

#include "platform/read_set.h"

namespace agentd::agent {

/// A file as it was before a change, and what the change makes of it.
struct FileBefore {
  enum class Was {
    absent,
    kept,      // `content` has all of it
    not_kept,  // it is too large, or could not be read: it cannot be restored
  };

  std::string path;  // canonical
  Was was = Was::absent;
  std::uint32_t mode = 0;  // permission bits; 0 if absent
  std::string content;
  /// Of what is about to be written. Told before, not after: a kill between the change and the
  /// word of it would leave a change that nobody knows to be the agent's.
  platform::ContentHash intended;
};

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  /// A tool's thread. Returns when it is kept, or after 2 s: a store that fails or does not answer
  /// never holds up the change.
  virtual void before_change(const std::string& tool_use_id, FileBefore before) = 0;
};

}  // namespace agentd::agent
