// Conversation: what a session keeps from run to run. Moves into a run when it starts and comes
// back when it ends; nobody else touches it meanwhile.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "context/attachment.h"
#include "context/changed_files.h"
#include "context/compaction.h"
#include "context/history.h"
#include "context/memory.h"
#include "message/todo.h"
#include "model/provider.h"
#include "permission/permission.h"
#include "platform/read_set.h"

namespace agentd::agent {

/// What the model means to do (TodoWrite).
struct TodoList {
  std::vector<Todo> items;
  int turns_untouched = 0;  // since it was written, or shown to the model again
};

struct Conversation {
  std::string cwd;                                // canonical; where the next call starts
  std::string workspace;                          // canonical; where the session started
  permission::Mode mode = permission::Mode::ask;  // changed by set_mode
  permission::Mode mode_before_plan = permission::Mode::ask;
  bool plan_mode_told = false;  // the model believes that plan mode holds
  permission::Grants grants;
  context::History history;
  /// Shared with the calls that use it, which may outlast a run that gave them up.
  std::shared_ptr<platform::ReadSet> read_set = std::make_shared<platform::ReadSet>();
  /// Encoded bytes per provider name.
  std::map<std::string, std::unique_ptr<model::EncoderCache>> encoder_caches;
  /// The window (tokens) that the last request did not fit, 0 if it did: the next one on a model
  /// with no larger window needs a compaction first.
  std::int64_t window_exceeded = 0;
  context::CompactionBreaker compaction_breaker;
  context::ShownAttachments shown_attachments;
  context::ToldMemory told_memory;
  TodoList todos;
  std::string git_root;                 // of the workspace; empty: none, or nobody has looked yet
  bool start_hooks_ran = false;         // SessionStart, in this process
  std::set<std::string> hooks_told_of;  // that their answers have what is ignored: once for each
  std::string environment;              // as the model was told; empty: not yet
  /// Changes that were found when nobody was to be told any more.
  std::vector<context::ChangedFile> untold_changes;
  /// Attachments that had no room: with the next ones.
  std::vector<context::Attachment> untold_attachments;
  std::string answered_by;  // the model of the last reply: thinking is signed for it alone

  /// Remembers where plan mode leads back to.
  void set_mode(permission::Mode next) {
    if (next == permission::Mode::plan && mode != next) mode_before_plan = mode;
    mode = next;
  }
};

}  // namespace agentd::agent
