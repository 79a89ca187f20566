#include "session/journal.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "session/checkpoints.h"
#include "wire/text.h"

namespace agentd::session {

SessionJournal::SessionJournal(std::shared_ptr<StoreThread> store, Clock& clock, std::string writer,
                               SessionRow row, Stored stored, std::optional<SessionLock> lock)
    : store_(std::move(store)),
      clock_(clock),
      queue_(std::make_shared<JournalQueue>(row.id, std::move(writer), store_->directory(),
                                            std::move(lock))),
      row_(std::move(row)),
      parts_(stored.parts),
      draft_(stored.draft),
      log_size_(std::make_shared<std::atomic<std::int64_t>>(stored.messages)) {
  if (!stored.row) add(RowChanged{row_, true});
}

SessionJournal::~SessionJournal() = default;

void SessionJournal::add(JournalEntry entry) {
  if (queue_->add(std::move(entry))) write_soon();
}

void SessionJournal::write_soon() {
  store_->post([queue = queue_](const Result<SessionStore*>& store) {
    (void)queue->write(store, JournalQueue::Try::if_due);
  });
}

void SessionJournal::clear_log(std::size_t first_message, std::size_t first_change) {
  add(LogCleared{first_message, first_change});
}

void SessionJournal::keep(agent::Conversation& conversation) {
  context::History& history = conversation.history;
  if (!history.log().empty()) {
    add(MessagesSaid{history.log_size() - history.log().size(), history.log()});
    draft_ = false;
    *log_size_ = static_cast<std::int64_t>(history.log_size());
  }
  std::size_t number = history.changes_size() - history.changes().size();
  for (const auto& change : history.changes()) add(ViewChanged{number++, change});
  history.forget_stored();
}

void SessionJournal::keep_state(const agent::Conversation& conversation) {
  row_.state = state_json(conversation, wishes_);
  // The clock of the wall may go back; the order of sessions does not.
  row_.updated = std::max(row_.updated, wall_ms(clock_));
  add(RowChanged{row_, false});
}

void SessionJournal::keep_block(int number, const Block& block) {
  add_text();
  draft_ = true;
  add(BlockWhole{number, block});
}

void SessionJournal::keep_result(const ToolResultBlock& result) {
  if (draft_) add(CallSettled{result});
}

void SessionJournal::drop_reply() {
  if (std::exchange(draft_, false)) add(ReplyDropped{});
}

void SessionJournal::keep_start(const std::string& tool_use_id) {
  add(CallBegan{tool_use_id});
}

void SessionJournal::sync(std::function<void(Result<void>)> done) {
  if (queue_->ask(std::move(done))) write_soon();
}

void SessionJournal::keep_part(const std::string& run, std::string_view method,
                               std::string_view fields) {
  add_text();
  add_part(run, method, fields);
}

void SessionJournal::add_part(const std::string& run, std::string_view method,
                              std::string_view fields) {
  add(Part{++parts_, run, std::string(method), '{' + std::string(fields) + '}', *log_size_});
}

void SessionJournal::keep_text(const std::string& run, std::string_view method,
                               std::string_view fields, std::string_view text) {
  if (text_.fields != fields || text_.method != method) {
    add_text();
    text_ = {run, std::string(method), std::string(fields), {}};
  }
  text_.text += text;
}

void SessionJournal::add_text() {
  if (text_.text.empty()) return;
  std::string fields = std::move(text_.fields);
  wire::append_key(fields, "text");
  wire::append_string(fields, text_.text);
  add_part(text_.run, text_.method, fields);
  text_ = {};
}

std::shared_ptr<agent::Checkpoints> SessionJournal::checkpoints(const std::string& run) const {
  return std::make_shared<SessionCheckpoints>(store_, row_.id, run, log_size_);
}

void SessionJournal::set_wishes(StoredWishes wishes) {
  wishes_ = std::move(wishes);
}

void SessionJournal::claim(std::function<void(Result<Claim>)> done) {
  store_->post([queue = queue_, done = std::move(done)](const Result<SessionStore*>&) {
    const auto ours = queue->lock();
    if (!ours) return done(ours.error());
    done(*ours ? Claim::ours : Claim::stale);
  });
}

void SessionJournal::release() {
  store_->post([queue = queue_](const Result<SessionStore*>& store) {
    (void)queue->write(store, JournalQueue::Try::now);
    queue->release();
  });
}

Result<void> SessionJournal::write(const Result<SessionStore*>& store) {
  return queue_->write(store, JournalQueue::Try::now);
}

std::int64_t wall_ms(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall().time_since_epoch())
      .count();
}

}  // namespace agentd::session
