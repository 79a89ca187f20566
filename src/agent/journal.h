// Journal: where a run writes down what must outlive the process. An interface: session/ keeps it
// in a database, whose thread does the work; nothing here waits but where it says so. A journal
// that fails is told of by sync(); the run goes on in memory.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "agent/conversation.h"
#include "base/result.h"
#include "message/message.h"

namespace agentd::agent {

/// How a journal fares, as those who wait for it found.
enum class Keeping {
  well,
  failed,  // the last that was told is not kept
  late,    // it does not answer
};

class Journal {
 public:
  virtual ~Journal() = default;

  // Run's thread.
  /// What the log and the view have that was not told before; the history lets go of it.
  virtual void keep(Conversation& conversation) = 0;
  /// The rest of the conversation, as it is now: mode, grants, files that were read.
  virtual void keep_state(const Conversation& conversation) = 0;
  /// Block `number` of the reply under way is whole.
  virtual void keep_block(int number, const Block& block) = 0;
  /// A call of the reply under way is settled.
  virtual void keep_result(const ToolResultBlock& result) = 0;
  /// The reply under way is void.
  virtual void drop_reply() = 0;

  // Any thread.
  /// The call of the reply under way starts now: whatever comes, it may have run.
  virtual void keep_start(const std::string& tool_use_id) = 0;
  /// `done` is called once, on a thread of the journal's: all that was told before is kept, or why
  /// it is not.
  virtual void sync(std::function<void(Result<void>)> done) = 0;

  /// While it does not keep well nobody waits for it: a disk in trouble costs a run its patience
  /// once, not with every turn and call.
  Keeping keeping() const { return keeping_; }
  void set_keeping(Keeping keeping) { keeping_ = keeping; }

 private:
  std::atomic<Keeping> keeping_{Keeping::well};
};

/// How long anything waits for a journal.
inline constexpr std::chrono::seconds kJournalPatience{2};

/// Blocks until all that was told before is kept, at most kJournalPatience, and not once `stop` is
/// asked for. If it is not kept, the journal says so from then on.
void wait_until_kept(Journal& journal, const std::stop_token& stop);

}  // namespace agentd::agent
