// What the loop keeps of the session as it goes: the user's message before a request leaves, each
// block when it is whole, each result when it is there, the turn when it is over. A journal that
// fails is told of once; the run goes on in memory. Run's thread.
#include <utility>

#include "agent/loop.h"

namespace agentd::agent {
namespace {

constexpr const char* kNoAnswer = "the disk does not answer";

}  // namespace

// What failed for the run before is tried again, and waited for. The mode that the start asked for
// counts from here on, also after a kill.
void Loop::begin_journal() {
  if (!options_.journal) return;
  if (options_.journal->keeping() == Keeping::failed) {
    options_.journal->set_keeping(Keeping::well);
  }
  options_.journal->keep_state(conversation_);
}

// What is told next is of the log as it is now.
void Loop::keep_log() {
  if (options_.journal) options_.journal->keep(conversation_);
}

// What was said so far, durable; or nobody waits for it any more.
void Loop::keep_before_request() {
  if (!options_.journal) return;
  options_.journal->keep(conversation_);
  ask_journal();
  wait_until([this] { return !journal_waits(); });
}

// The reply is in the log, or void: what was kept of it on its own goes.
void Loop::keep_turn() {
  if (!options_.journal) return;
  options_.journal->keep(conversation_);
  options_.journal->drop_reply();
  options_.journal->keep_state(conversation_);
}

// Before runEnded is told, also of a cancelled run: who has seen it may end the process.
void Loop::keep_at_end() {
  if (!options_.journal) return;
  keep_turn();
  ask_journal();
  while (journal_waits()) {
    auto message = mailbox_->pop();
    if (!message) return;
    handle(std::move(*message));
  }
}

void Loop::keep_block(int number) {
  if (!options_.journal) return;
  if (const auto block = reply_.whole_block(number)) options_.journal->keep_block(number, *block);
}

void Loop::keep_result(const Event& event) {
  if (!options_.journal) return;
  look_after_journal();
  const auto* result = std::get_if<ToolResult>(&event);
  if (result == nullptr) return;
  options_.journal->keep_result({result->tool_use_id, result->content, result->is_error});
  // Before it is told: who has seen a result may count on it.
  wait_until_kept(*options_.journal, {});
}

void Loop::ask_journal() {
  const int number = ++journal_.asked;
  options_.journal->sync([journal = options_.journal, box = mailbox_, number](Result<void> kept) {
    if (kept) journal->set_keeping(Keeping::well);  // also where the run is over by now
    box->push(JournalAnswered{number, std::move(kept)});
  });
  if (options_.journal->keeping() == Keeping::late) return;
  journal_.patience = services_.clock.after(
      kJournalPatience, [box = mailbox_, number] { box->push(JournalLate{number}); });
}

bool Loop::journal_waits() const {
  return journal_.answered != journal_.asked && options_.journal->keeping() == Keeping::well;
}

// A call may have found out first.
void Loop::look_after_journal() {
  if (journal_.told || options_.journal->keeping() == Keeping::well) return;
  if (options_.journal->keeping() == Keeping::late) return tell_not_stored(kNoAnswer);
  if (journal_.answered == journal_.asked) ask_journal();  // why
}

void Loop::on(JournalAnswered& answered) {
  journal_.answered = answered.number;
  if (answered.number != journal_.asked) return;  // a later one says more
  journal_.patience.reset();
  options_.journal->set_keeping(answered.kept ? Keeping::well : Keeping::failed);
  if (!answered.kept) return tell_not_stored(answered.kept.error().message);
  if (!std::exchange(journal_.told, false)) return;
  emit(Notice{NoticeLevel::info, "stored_again", "The session is being stored again."});
}

void Loop::on(JournalLate& late) {
  if (late.number != journal_.asked || journal_.answered == journal_.asked) return;
  options_.journal->set_keeping(Keeping::late);
  tell_not_stored(kNoAnswer);
}

void Loop::tell_not_stored(const std::string& why) {
  if (std::exchange(journal_.told, true)) return;
  emit(Notice{NoticeLevel::warning, "not_stored",
              "This session is not being stored: " + why +
                  ". It goes on in memory, and is lost when agentd ends."});
}

}  // namespace agentd::agent
