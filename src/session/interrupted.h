// What a process that was killed left open in a session, and how it is closed: each call gets the
// one result it lacks, and each part that a client was shown gets its end. Nothing runs again.
// Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "message/message.h"
#include "session/store.h"

namespace agentd::session {

/// The reply that was under way and the results of its calls, as the log keeps them: without what
/// an API refuses of a reply that was cut. Empty if nothing is left of it, or there was none.
std::vector<Message> closed_reply(const std::vector<DraftBlock>& draft);

/// A part without its number, run and log_size.
struct ClosingPart {
  std::string_view method;
  std::string params;
};

/// What has to be told after `parts`, those of the session's last run in order, so that each call,
/// question and turn in it and the run itself have ended. A call's result is that of `draft`, if it
/// was settled. Error: a part cannot be read.
Result<std::vector<ClosingPart>> closing_parts(const std::vector<Part>& parts,
                                               const std::vector<DraftBlock>& draft);

}  // namespace agentd::session
