// Judging calls: pure functions over resolved paths. A call is cut down to the part that is not
// free in the mode; what is left must be granted, or a person is asked about exactly that part.
#include "permission/permission.h"

#include <algorithm>

#include "base/path.h"
#include "permission/protected_paths.h"

namespace agentd::permission {
namespace {

// "/a, /b and 3 more": a person reads this, so never a screenful.
std::string listed(const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    text += paths[i];
  }
  if (paths.size() > kShown) text += " and " + std::to_string(paths.size() - kShown) + " more";
  return text;
}

bool nothing_left(const Access& access) {
  return access.reads.empty() && access.writes.empty() && !access.command;
}

bool free_read(const std::string& path, const std::string& workspace) {
  return path_inside(path, workspace);
}

bool free_write(Mode mode, const std::string& path, const std::string& workspace) {
  return mode == Mode::accept_edits && path_inside(path, workspace) &&
         !protected_path(path, workspace);
}

// The part of `resolved` that this mode does not allow by itself.
Access not_free(Mode mode, const Access& resolved, const std::string& workspace) {
  Access rest;
  rest.command = resolved.command;
  for (const std::string& path : resolved.reads) {
    if (!free_read(path, workspace)) rest.reads.push_back(path);
  }
  for (const std::string& path : resolved.writes) {
    if (!free_write(mode, path, workspace)) rest.writes.push_back(path);
  }
  return rest;
}

Verdict deny_in_plan(const Access& resolved) {
  const std::string advice =
      " Finish the plan and put it to the user with ExitPlanMode; changes become possible when the "
      "user agrees to it.";
  if (resolved.command) {
    return {
        Decision::deny,
        "Plan mode changes nothing, and a command may change anything, so none is run." + advice};
  }
  return {Decision::deny, "Plan mode changes nothing, and this would write " +
                              listed(resolved.writes) + "." + advice};
}

std::string write_reason(Mode mode, const std::string& path, const std::string& workspace) {
  if (!path_inside(path, workspace)) {
    return "This would write " + path + ", which is outside the workspace " + workspace + ".";
  }
  if (mode == Mode::accept_edits) {
    return "This would write " + path +
           ", a protected path: what stands there can run code or change settings later.";
  }
  return "This would write " + path + ".";
}

// `rest` is what the mode does not allow by itself: its reads are all outside.
AskCause cause_of(const Access& rest, const std::string& workspace) {
  const auto is_special = [&](const std::string& path) {
    return !path_inside(path, workspace) || protected_path(path, workspace);
  };
  const bool special =
      !rest.reads.empty() || std::any_of(rest.writes.begin(), rest.writes.end(), is_special);
  return special ? AskCause::place : AskCause::mode;
}

Verdict ask_about(Mode mode, const Access& rest, const std::string& workspace) {
  if (rest.command) {
    return {Decision::ask, "This would run a command, which may read or change anything."};
  }
  if (rest.writes.size() == 1 && rest.reads.empty()) {
    return {Decision::ask, write_reason(mode, rest.writes.front(), workspace)};
  }
  std::string reason;
  if (!rest.writes.empty()) reason = "This would write " + listed(rest.writes) + ".";
  if (!rest.reads.empty()) {
    if (!reason.empty()) reason += ' ';
    reason +=
        "This would read " + listed(rest.reads) + ", outside the workspace " + workspace + ".";
  }
  return {Decision::ask, std::move(reason)};
}

Result<void> resolve_into(std::vector<std::string>& resolved, const std::vector<std::string>& paths,
                          platform::Files& files) {
  for (const std::string& path : paths) {
    Result<std::string> canonical = files.canonical(path);
    if (!canonical) return canonical.error();
    resolved.push_back(std::move(*canonical));
  }
  return {};
}

bool all_in(const std::unordered_set<std::string>& granted, const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return granted.count(path) > 0; });
}

}  // namespace

Result<Access> resolve(const Access& access, platform::Files& files) {
  Access resolved;
  resolved.command = access.command;
  resolved.leaves_plan_mode = access.leaves_plan_mode;
  if (auto done = resolve_into(resolved.reads, access.reads, files); !done) return done.error();
  if (auto done = resolve_into(resolved.writes, access.writes, files); !done) return done.error();
  return resolved;
}

void Grants::add(const Access& resolved) {
  if (resolved.command) commands_.insert(*resolved.command);
  reads_.insert(resolved.reads.begin(), resolved.reads.end());
  writes_.insert(resolved.writes.begin(), resolved.writes.end());
}

bool Grants::covers(const Access& resolved) const {
  if (resolved.command && commands_.count(*resolved.command) == 0) return false;
  return all_in(reads_, resolved.reads) && all_in(writes_, resolved.writes);
}

Verdict judge(Mode mode, const Access& resolved, const std::string& workspace,
              const Grants& grants) {
  if (mode == Mode::bypass) return {Decision::allow, {}};
  if (mode == Mode::plan && resolved.leaves_plan_mode) {
    return {Decision::ask, "The plan is ready, and the model asks to leave plan mode."};
  }
  if (mode == Mode::plan && (resolved.command || !resolved.writes.empty())) {
    return deny_in_plan(resolved);
  }
  const Access rest = not_free(mode, resolved, workspace);
  if (nothing_left(rest) || grants.covers(rest)) return {Decision::allow, {}};
  Verdict verdict = ask_about(mode, rest, workspace);
  verdict.cause = cause_of(rest, workspace);
  return verdict;
}

}  // namespace agentd::permission
