// Attachments: what the engine adds to a conversation of its own accord, behind the tool results
// and in front of the user's words. Each is a text in a tag of ours, `<context kind="...">`, by
// which the model tells it from what the user says; a text that holds such a tag itself has it
// defused. Pure values, on the run's thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "message/message.h"
#include "platform/read_set.h"

namespace agentd::context {

/// Closed set, in the order in which they are shown.
enum class AttachmentKind {
  summary,          // of what a compaction took out of the view
  memory,           // a memory file
  changed_file,     // a file that changed on disk since it was read
  recent_file,      // a file that was read lately, put back after a compaction
  todo,             // the open list
  background_work,  // something started earlier has finished
  hook_context,     // what a hook has to say
  note,             // the engine's own word
  queued_message,   // the user's: last, word for word, without a tag
};

std::string_view kind_name(AttachmentKind kind);

struct Attachment {
  AttachmentKind kind = AttachmentKind::note;
  std::string title;  // a path, a hook's name; may be empty
  std::string text;
};

/// Content hashes of the attachments that a session was shown: the same is not shown twice. Clear
/// it after a compaction.
using ShownAttachments = std::set<platform::ContentHash>;

struct Rendered {
  std::vector<Block> blocks;         // to send
  std::vector<Attachment> shown;     // in them, whole or cut; without their texts
  std::vector<Attachment> left_out;  // for want of room: to be given again
};

/// One attachment in its tag.
std::string wrapped(const Attachment& attachment);

/// The blocks to send: by kind, within one kind as given, those in `shown` and doubles left out.
/// Within `budget` tokens (estimated) together: what does not fit is cut with a note, what has no
/// room is named in one last note. The user's queued messages are never cut, left out or taken for
/// doubles, and cost nothing of the budget.
Rendered render(std::vector<Attachment> attachments, std::int64_t budget, ShownAttachments& shown);

/// True if a text of a user message is not the user's: an attachment, or the surroundings.
bool added_by_engine(std::string_view text);

}  // namespace agentd::context
