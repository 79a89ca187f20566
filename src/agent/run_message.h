// RunMessage: all that can happen to a run, as it arrives in its mailbox.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "agent/run.h"
#include "agent/tool_job.h"
#include "context/changed_files.h"
#include "context/memory.h"

namespace agentd::agent {

/// Events of the request numbered `request`; those of an earlier one are stale.
struct ModelArrived {
  int request = 0;
  model::ModelEvents events;
};

struct JobArrived {
  JobMessage message;
};

/// What was found on the disk; what the job did not look for is empty.
struct LookedAround {
  std::string surroundings;
  std::string git_root;
  context::Memory memory;
  context::ToldMemory told_memory;
  std::vector<context::ChangedFile> changed;
};

struct RetryDue {};     // the wait before the next attempt is over
struct FlowResumed {};  // the client caught up with what was sent
struct GiveUpDue {};    // cancelled long ago, and some call still has not stopped

struct CancelAsked {
  std::function<void(Ending)> done;
};

struct ApprovalAnswered {
  ApprovalAnswer answer;
  std::function<void(Result<void>)> done;
};

struct QuestionAnswered {
  AnswersGiven answers;
  std::function<void(Result<void>)> done;
};

struct ModeSet {
  permission::Mode mode = permission::Mode::ask;
};

struct ApprovalsWithdrawn {};

struct HooksDone {
  hooks::HookOutcomes outcomes;
};

struct ModelSet {
  model::ResolvedModel model;
};

struct MessageSent {
  UserMessage message;
  std::function<void(Result<void>)> done;
};

/// Of the small model's answer number `number` (BatchSummaries).
struct BatchSummaryArrived {
  int number = 0;
  model::ModelEvents events;
};

/// To question number `number`: all is kept, or why it is not.
struct JournalAnswered {
  int number = 0;
  Result<void> kept;
};

struct JournalLate {
  int number = 0;
};

struct MessageTakenBack {
  std::string id;
  std::function<void(Result<void>)> done;
};

using RunMessage =
    std::variant<ModelArrived, JobArrived, LookedAround, RetryDue, FlowResumed, GiveUpDue,
                 CancelAsked, ApprovalAnswered, QuestionAnswered, ModeSet, ApprovalsWithdrawn,
                 HooksDone, ModelSet, MessageSent, MessageTakenBack, BatchSummaryArrived,
                 JournalAnswered, JournalLate>;

}  // namespace agentd::agent
