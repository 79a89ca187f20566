// ToolJob: the work of one call that may block, on one of the run's job threads: resolve its paths,
// judge whether it may run, and if it may and has its place, run the tool. It tells what happens by
// messages to the run's mailbox, and never fails otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "agent/event.h"
#include "agent/hook_context.h"
#include "agent/journal.h"
#include "permission/permission.h"
#include "tools/tool.h"

namespace agentd::agent {

/// It may not run now: it is denied, must be asked for, or is allowed but has no place yet. The
/// job is over.
struct CallChecked {
  std::uint64_t job = 0;
  std::shared_ptr<const Json> input;  // that of the call, or what its hooks made of it
  HookWord hook_word;
  HookAnswer hook_answer = HookAnswer::none;
  permission::Verdict verdict;
  Access access;  // resolved
  std::optional<std::string> preview;
};

/// Its hooks have run; the job goes on.
struct HooksRan {
  std::uint64_t job = 0;
  std::vector<hooks::HookRecord> records;
  std::optional<std::string> stop;    // a hook ends the run: why
  std::vector<std::string> messages;  // for the user
  std::vector<hooks::IgnoredAnswer> ignored;
};

/// It runs now.
struct CallBegan {
  std::uint64_t job = 0;
  std::shared_ptr<const Json> input;
};

struct CallProgress {
  std::uint64_t job = 0;
  platform::OutputStream stream = platform::OutputStream::standard_output;
  std::string text;
};

/// It ran. The job is over.
struct CallFinished {
  std::uint64_t job = 0;
  tools::Outcome outcome;
};

using JobMessage = std::variant<CallChecked, HooksRan, CallBegan, CallProgress, CallFinished>;

struct ToolJob {
  std::uint64_t job = 0;
  const tools::Tool* tool = nullptr;
  std::shared_ptr<const Json> input;
  tools::CallContext context;
  std::shared_ptr<platform::ReadSet> read_set;       // keeps context.read_set alive
  std::shared_ptr<Journal> journal;                  // is told before it starts; nullptr: none
  bool safe = false;                                 // it changes nothing
  std::shared_ptr<platform::Files> files = nullptr;  // keeps context.files alive, where it is ours
  permission::Mode mode = permission::Mode::ask;
  std::shared_ptr<const permission::Grants> grants;
  HookContext hooks;
  HookWord hook_word = {};               // of an earlier job of the call
  bool hooks_may_answer = true;          // false: the user has
  bool may_run = false;                  // its place is free
  std::optional<Access> approved;        // the user agreed to this
  std::function<void(JobMessage)> tell;  // any thread
};

/// The job, from its first look to its last message.
void perform(ToolJob job);

}  // namespace agentd::agent
