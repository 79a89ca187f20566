// What a journal has to write, one entry for each thing that happened. Values.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "context/view_change.h"
#include "message/message.h"
#include "session/store.h"

namespace agentd::session {

/// The log and the changes of the view end before these: what follows them is written anew.
struct LogCleared {
  std::size_t first_message = 0;
  std::size_t first_change = 0;
};
struct MessagesSaid {
  std::size_t first = 0;
  std::vector<MessagePtr> messages;
};
struct ViewChanged {
  std::size_t number = 0;
  context::RecordedChange change;
};
struct BlockWhole {
  int number = 0;
  Block block;
};
struct CallBegan {
  std::string tool_use_id;
};
struct CallSettled {
  ToolResultBlock result;
};
struct ReplyDropped {};
/// The session's row is this; it is made if it is not there.
struct RowChanged {
  SessionRow row;
  bool is_new = false;
};

using JournalEntry = std::variant<RowChanged, LogCleared, MessagesSaid, ViewChanged, BlockWhole,
                                  CallBegan, CallSettled, ReplyDropped, Part>;

/// What it keeps in memory, about, in bytes.
std::size_t bytes_of(const JournalEntry& entry);

}  // namespace agentd::session
