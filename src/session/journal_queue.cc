#include "session/journal_queue.h"

#include <exception>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "protocol/methods.h"

namespace agentd::session {
namespace {

// Writes one entry.
class Writer {
 public:
  Writer(SessionStore& store, const std::string& session) : store_(store), session_(session) {}

  Result<void> operator()(const RowChanged& changed) {
    return changed.is_new ? store_.add(changed.row) : store_.update(changed.row);
  }
  Result<void> operator()(const LogCleared& cleared) {
    return store_.clear_log(session_, cleared.first_message, cleared.first_change);
  }
  Result<void> operator()(const MessagesSaid& said) {
    return store_.append(session_, said.first, said.messages);
  }
  Result<void> operator()(const ViewChanged& changed) {
    return store_.append_change(session_, changed.number, changed.change);
  }
  Result<void> operator()(const BlockWhole& whole) {
    return store_.put_draft(session_, whole.number, whole.block);
  }
  Result<void> operator()(const CallBegan& began) {
    return store_.draft_began(session_, began.tool_use_id);
  }
  Result<void> operator()(const CallSettled& settled) {
    return store_.draft_settled(session_, settled.result);
  }
  Result<void> operator()(const ReplyDropped&) { return store_.discard_draft(session_); }
  Result<void> operator()(const Part& part) { return store_.add_part(session_, part); }

 private:
  SessionStore& store_;
  const std::string& session_;
};

// Trying again would not help: the session was deleted, or is not what it was.
bool is_final(const Error& error) {
  return error.code == Code::conflict || error.code == Code::not_found;
}

}  // namespace

// ---- any thread --------------------------------------------------------------------------------

bool JournalQueue::add(JournalEntry entry) {
  std::lock_guard lock(mutex_);
  if (takes(entry)) take_in(std::move(entry));
  return !std::exchange(told_, true);
}

bool JournalQueue::ask(std::function<void(Result<void>)> done) {
  std::lock_guard lock(mutex_);
  asked_.push_back(std::move(done));
  return !std::exchange(told_, true);
}

bool JournalQueue::takes(const JournalEntry& entry) {
  if (too_much_) return false;
  const auto* part = std::get_if<Part>(&entry);
  if (part == nullptr) return true;
  if (parts_ == Parts::taken_from_next_run && part->method == protocol::kRunStarted.name) {
    parts_ = Parts::taken;
  }
  return parts_ == Parts::taken;
}

void JournalQueue::take_in(JournalEntry entry) {
  const std::size_t bytes = bytes_of(entry);
  added_.push_back({std::move(entry), bytes});
  ++entries_;
  bytes_ += bytes;
  if (!above(1)) return;
  parts_ = Parts::dropped;
  drop_parts(added_);
  if (!above(2)) return;
  too_much_ = true;
  added_.clear();
}

bool JournalQueue::above(std::size_t times) const {
  return entries_ > times * limits_.entries || bytes_ > times * limits_.bytes;
}

template <class Entries>
void JournalQueue::drop_parts(Entries& entries) {
  std::erase_if(entries, [this](const Held& held) {
    if (!std::holds_alternative<Part>(held.entry)) return false;
    --entries_;
    bytes_ -= held.bytes;
    return true;
  });
}

// ---- the store's thread ------------------------------------------------------------------------

Result<void> JournalQueue::write(const Result<SessionStore*>& store, Try when) {
  const Waiters waiters = take();
  const bool tries = when == Try::now || !waiters.empty() || is_due();
  const Result<void> written = tries ? try_to_write(store) : Result<void>(*failure_);
  for (const auto& done : waiters) done(written);
  return written;
}

JournalQueue::Waiters JournalQueue::take() {
  std::lock_guard lock(mutex_);
  told_ = false;
  std::move(added_.begin(), added_.end(), std::back_inserter(waiting_));
  added_.clear();
  if (parts_ == Parts::dropped) drop_parts(waiting_);
  if (too_much_ && !given_up_) {
    give_up(failure_.value_or(make_error(Code::unavailable, "the disk does not answer")));
  }
  return std::exchange(asked_, {});
}

bool JournalQueue::is_due() const {
  return !failure_ || std::chrono::steady_clock::now() - failed_at_ >= kRetryAfter;
}

// Whatever happens, who asked is answered.
Result<void> JournalQueue::try_to_write(const Result<SessionStore*>& store) {
  try {
    return write_waiting(store);
  } catch (const std::exception& failure) {
    const Error error = make_error(Code::io, failure.what());
    failed(error);
    return error;
  }
}

Result<void> JournalQueue::write_waiting(const Result<SessionStore*>& store) {
  if (!given_up_) {
    if (waiting_.empty()) return {};
    // A call that its run has given up may still tell of itself: the session is not taken for it.
    if (released_) return make_error(Code::unavailable, "the run of this is over");
    Result<void> written = store ? hold() : Result<void>(store.error());
    if (written) written = write_all(**store);
    if (written) {
      if (failure_) log::info("store: session " + session_ + " is stored again");
      failure_.reset();
    } else if (!given_up_) {
      failed(written.error());
      if (!is_final(written.error())) return written;
      give_up(written.error());
    }
  }
  clear_waiting();
  if (given_up_) return *given_up_;
  return {};
}

Result<void> JournalQueue::hold() {
  if (lock_) return {};
  auto ours = lock();
  if (!ours) return ours.error();
  return given_up_ ? Result<void>(*given_up_) : Result<void>();
}

Result<void> JournalQueue::write_all(SessionStore& store) {
  auto transaction = store.begin();
  if (!transaction) return transaction.error();
  for (const Held& held : waiting_) {
    auto written = std::visit(Writer(store, session_), held.entry);
    if (!written) return written;
  }
  return transaction->commit();
}

void JournalQueue::clear_waiting() {
  std::lock_guard lock(mutex_);
  entries_ -= waiting_.size();
  for (const Held& held : waiting_) bytes_ -= held.bytes;
  waiting_.clear();
  if (parts_ == Parts::dropped) parts_ = Parts::taken_from_next_run;
}

void JournalQueue::failed(const Error& error) {
  if (!failure_) log::warning("store: session " + session_ + ": " + error.message);
  failure_ = error;
  failed_at_ = std::chrono::steady_clock::now();
}

void JournalQueue::give_up(Error error) {
  log::error("store: session " + session_ + " is not stored any more: " + error.message);
  given_up_ = std::move(error);
  failure_.reset();
}

// What is in memory is of no use for the file once another process went on with it.
Result<bool> JournalQueue::lock() {
  lock_.reset();
  released_ = false;
  auto taken = SessionLock::take(store_directory_, session_, writer_);
  if (!taken) return taken.error();
  const bool was_held = std::exchange(was_held_, true);
  const bool lost = given_up_ && given_up_->code == Code::session_locked;
  if (!lost && (taken->was_ours() || (!was_held && taken->is_new()))) {
    lock_.emplace(std::move(*taken));
    return true;
  }
  if (was_held) {
    if (!lost) {
      give_up(make_error(Code::session_locked,
                         "another agentd process went on with this session meanwhile"));
    }
    return false;
  }
  lock_.emplace(std::move(*taken));
  return false;
}

void JournalQueue::release() {
  lock_.reset();
  released_ = true;
}

}  // namespace agentd::session
