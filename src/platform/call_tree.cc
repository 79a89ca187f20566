#include "platform/call_tree.h"

#include <algorithm>
#include <csignal>

namespace agentd::platform {

std::shared_ptr<CallTree> CallTrees::open(std::string mark, std::string session_id) {
  auto tree = std::make_shared<CallTree>();
  tree->mark = std::move(mark);
  tree->session_id = std::move(session_id);
  trees_.push_back(tree);
  return tree;
}

// How sure each ground is decides the order: seen there before, marked, in the shell's session or
// group. One that shed all of these (`env -i setsid`) has a certain owner only while there is but
// one tree that anything could come from; else it is nobody's and ends with this process.
const CallTree* CallTrees::owner(const ProcessInfo& orphan) const {
  for (const auto& tree : trees_) {
    for (const ProcessInfo& member : tree->seen) {
      if (member.same(orphan)) return tree.get();
    }
  }
  if (const auto mark = call_mark(orphan.pid)) {
    for (const auto& tree : trees_) {
      if (tree->mark == *mark) return tree.get();
    }
  }
  for (const auto& tree : trees_) {
    if (orphan.session == tree->root || orphan.group == tree->root) return tree.get();
  }
  return trees_.size() == 1 && !strays_ ? trees_.front().get() : nullptr;
}

std::vector<ProcessInfo> CallTrees::survivors(CallTree& tree) {
  if (children_.none_left()) {
    trees_.remove_if(
        [&](const auto& other) { return other->command_ended && other.get() != &tree; });
    tree.seen.clear();
    strays_ = false;
    return {};
  }
  const auto all = read_processes();
  std::vector<int> roots;
  if (children_.running(tree.root)) roots.push_back(tree.root);
  for (const ProcessInfo& orphan : children_.orphans(all)) {
    const CallTree* whose = owner(orphan);
    if (whose == nullptr) strays_ = true;
    if (tree.everything || whose == &tree) roots.push_back(orphan.pid);
  }
  auto members = descendants(all, roots);
  std::erase_if(members, [](const ProcessInfo& process) { return process.dead(); });
  tree.seen = members;
  return members;
}

std::vector<std::shared_ptr<CallTree>> CallTrees::left_behind(const std::string& session_id) {
  std::vector<std::shared_ptr<CallTree>> found;
  for (const auto& tree : trees_) {
    if (tree->command_ended && (session_id.empty() || tree->session_id == session_id)) {
      found.push_back(tree);
    }
  }
  return found;
}

std::shared_ptr<CallTree> CallTrees::everything() {
  auto tree = std::make_shared<CallTree>();
  tree->everything = true;
  return tree;
}

void signal_tree(const CallTree& tree, const std::vector<ProcessInfo>& members, int signal) {
  // A member in the group proves that its number is still the shell's, not a stranger's.
  const bool group_alive = std::any_of(members.begin(), members.end(), [&](const auto& member) {
    return tree.root > 0 && member.group == tree.root;
  });
  if (group_alive) ::kill(-tree.root, signal);
  for (const ProcessInfo& member : members) {
    if (member.group != tree.root) send_signal(member, signal);
  }
}

}  // namespace agentd::platform
