// Call trees: which processes belong to which command. Since agentd is a subreaper, whatever
// leaves its parent becomes our direct child; so all that a command left behind are the orphans
// that belong to it and their descendants. io thread.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "platform/children.h"
#include "platform/process_tree.h"

namespace agentd::platform {

/// One command's processes.
struct CallTree {
  std::string mark;        // value of kCallMark in their environment
  std::string session_id;  // the agent session they belong to
  int root = 0;            // pid, group and session of the shell
  bool command_ended = false;
  bool everything = false;        // no command's: all that is left when this process ends
  std::vector<ProcessInfo> seen;  // members at the last look, for those that clear the mark
};

class CallTrees {
 public:
  explicit CallTrees(Children& children) : children_(children) {}

  std::shared_ptr<CallTree> open(std::string mark, std::string session_id);
  void close(const std::shared_ptr<CallTree>& tree) { trees_.remove(tree); }

  /// Living members of the tree, the shell included.
  std::vector<ProcessInfo> survivors(CallTree& tree);

  /// Trees whose command has ended but whose processes may live on; of all sessions if empty.
  std::vector<std::shared_ptr<CallTree>> left_behind(const std::string& session_id);

  /// A tree, not one of the list, that all orphans are members of, whoever started them.
  static std::shared_ptr<CallTree> everything();

 private:
  const CallTree* owner(const ProcessInfo& orphan) const;

  Children& children_;
  std::list<std::shared_ptr<CallTree>> trees_;
  bool strays_ = false;  // an orphan whose owner is not certain was seen; it may have children
};

/// Sends `signal` to the group of the shell if one of `members` is in it, and to each that is not.
void signal_tree(const CallTree& tree, const std::vector<ProcessInfo>& members, int signal);

}  // namespace agentd::platform
