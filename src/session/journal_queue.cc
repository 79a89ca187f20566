#include "session/journal_queue.h"

#include <iterator>
#include <utility>

#include "base/log.h"

namespace agentd::session {
namespace {

// Writes one entry.
class Writer {
 public:
  Writer(SessionStore& store, const std::string& session) : store_(store), session_(session) {}

  Result<void> operator()(const RowChanged& changed) {
    return changed.is_new ? store_.add(changed.row) : store_.update(changed.row);
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

bool JournalQueue::add(JournalEntry entry) {
  std::lock_guard lock(mutex_);
  added_.push_back(std::move(entry));
  return !std::exchange(told_, true);
}

bool JournalQueue::ask(std::function<void(Result<void>)> done) {
  std::lock_guard lock(mutex_);
  asked_.push_back(std::move(done));
  return !std::exchange(told_, true);
}

JournalQueue::Waiters JournalQueue::take() {
  std::lock_guard lock(mutex_);
  told_ = false;
  std::move(added_.begin(), added_.end(), std::back_inserter(waiting_));
  added_.clear();
  return std::exchange(asked_, {});
}

Result<void> JournalQueue::write(const Result<SessionStore*>& store) {
  const Waiters waiters = take();
  const Result<void> written = write_waiting(store);
  for (const auto& done : waiters) done(written);
  return written;
}

Result<void> JournalQueue::write_waiting(const Result<SessionStore*>& store) {
  if (given_up_) {
    waiting_.clear();
    return *given_up_;
  }
  if (waiting_.empty()) return {};
  Result<void> written = store ? Result<void>() : Result<void>(store.error());
  if (written && !lock_) {
    const auto locked = lock();
    if (!locked) written = locked.error();
  }
  if (written) written = write_all(**store);
  if (written) {
    waiting_.clear();
    return written;
  }
  log::warning("store: session " + session_ + ": " + written.error().message);
  if (is_final(written.error()) || waiting_.size() > kMostWaiting) {
    given_up_ = written.error();
    waiting_.clear();
  }
  return written;
}

Result<void> JournalQueue::write_all(SessionStore& store) {
  auto transaction = store.begin();
  if (!transaction) return transaction.error();
  for (const JournalEntry& entry : waiting_) {
    auto written = std::visit(Writer(store, session_), entry);
    if (!written) return written;
  }
  return transaction->commit();
}

Result<bool> JournalQueue::lock() {
  lock_.reset();
  auto taken = SessionLock::take(store_directory_, session_, writer_);
  if (!taken) return taken.error();
  lock_.emplace(std::move(*taken));
  return lock_->was_ours();
}

}  // namespace agentd::session
