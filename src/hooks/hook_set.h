// HookSet: the hooks of a session, flat, in the order in which their settings count. Made once when
// a session begins, then only read. Values, any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hooks/event.h"
#include "hooks/matcher.h"

namespace agentd::hooks {

struct Hook {
  Event event = Event::stop;
  Matcher matcher;
  std::string command;                           // for `bash -c`, or a program if there are `args`
  std::optional<std::vector<std::string>> args;  // present: started without a shell
  std::chrono::milliseconds timeout{0};          // always > 0
  std::string origin;                            // the settings file it stands in
  /// Set when the user was told what of its answers is ignored: once for a session, not at every
  /// call. Copies are the same hook. nullptr: told each time.
  std::shared_ptr<std::atomic<bool>> ignored_told;
};

struct HookSet {
  std::vector<Hook> hooks;
};

/// How long a hook of this event may take that does not say so itself.
std::chrono::milliseconds default_timeout(Event event);

/// False: nothing would run, the input need not be made.
bool has_hooks(const HookSet& set, Event event);

/// The hooks that run for `input`, in order; of identical commands the first. They point into
/// `set`.
std::vector<const Hook*> matching(const HookSet& set, const HookInput& input);

}  // namespace agentd::hooks
