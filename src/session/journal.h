// SessionJournal: what a run writes down of its session (agent/journal.h), and the parts that its
// clients were told. Each call puts a value into a queue and goes on; the store's thread writes
// what is there in one transaction. What could not be written stays in the queue for the next time,
// so a disk that was full for a while leaves no gap.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/checkpoints.h"
#include "agent/journal.h"
#include "base/clock.h"
#include "session/journal_queue.h"
#include "session/store_thread.h"
#include "session/stored_state.h"

namespace agentd::session {

/// What is stored of a session already: where writing goes on.
struct Stored {
  bool row = false;  // the session itself
  std::size_t messages = 0;
  std::int64_t parts = 0;  // the number of the last one
  bool draft = false;      // blocks of a reply that was under way
};

/// Whether a run may begin on a session that is in memory.
enum class Claim {
  ours,   // nobody else wrote it meanwhile
  stale,  // another process did: it must be opened anew
};

class SessionJournal final : public agent::Journal {
 public:
  /// `row` names the session and is written first if it is new; what is in `stored` is not written
  /// again. `writer` names this process (any unique text). `clock` outlives it. `lock`: the session
  /// is taken already.
  SessionJournal(std::shared_ptr<StoreThread> store, Clock& clock, std::string writer,
                 SessionRow row, Stored stored, std::optional<SessionLock> lock = std::nullopt);
  ~SessionJournal() override;

  // agent::Journal
  void keep(agent::Conversation& conversation) override;
  void keep_state(const agent::Conversation& conversation) override;
  void keep_block(int number, const Block& block) override;
  void keep_result(const ToolResultBlock& result) override;
  void drop_reply() override;
  void keep_start(const std::string& tool_use_id) override;
  void sync(std::function<void(Result<void>)> done) override;

  // Run's thread: the notifications of `run`, as a client would be told them again. `fields` are
  // their members besides sessionId, runId and seq, without braces.
  void keep_part(const std::string& run, std::string_view method, std::string_view fields);
  /// Text that comes in pieces is kept in one, when its block ends or something else is told.
  void keep_text(const std::string& run, std::string_view method, std::string_view fields,
                 std::string_view text);

  // Of a session that is with no run; its owner's thread.
  /// What is stored of the log from `first_message` on, and of the changes from `first_change` on,
  /// goes with the next write, which has what takes its place: all that keep() was told next.
  void clear_log(std::size_t first_message, std::size_t first_change);
  /// What the next keep_state() says of it.
  void set_wishes(StoredWishes wishes);
  /// Takes the session for a run. `done` is called once on the store's thread. Error:
  /// session_locked (another process has it), or what the disk said.
  void claim(std::function<void(Result<Claim>)> done);
  /// The run is over: other processes may have it once all is written.
  void release();

  /// Keeps what files were before `run` changed them.
  std::shared_ptr<agent::Checkpoints> checkpoints(const std::string& run) const;
  const std::string& session_id() const { return row_.id; }

  // Store's thread.
  /// Writes what is in the queue now.
  Result<void> write(const Result<SessionStore*>& store);

 private:
  void add(JournalEntry entry);
  void add_part(const std::string& run, std::string_view method, std::string_view fields);
  void add_text();
  void write_soon();

  std::shared_ptr<StoreThread> store_;
  Clock& clock_;
  std::shared_ptr<JournalQueue> queue_;
  SessionRow row_;
  std::int64_t parts_;  // the number of the last one that was put into the queue
  bool draft_ = false;  // blocks of a reply under way were
  struct Text {
    std::string run;
    std::string method;
    std::string fields;
    std::string text;
  };
  Text text_;  // not yet put there
  StoredWishes wishes_;
  std::shared_ptr<std::atomic<std::int64_t>> log_size_;  // messages, as of the last keep()
};

/// Milliseconds of the wall clock, as sessions are stamped with.
std::int64_t wall_ms(const Clock& clock);

}  // namespace agentd::session
