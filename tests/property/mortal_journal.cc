#include "property/mortal_journal.h"

#include <utility>

#include "property/kept_parts.h"

namespace agentd::test {

MortalJournal::MortalJournal(std::shared_ptr<session::SessionJournal> real,
                             std::unique_ptr<server::EventWriter> events, Handed handed)
    : real_(std::move(real)), events_(std::move(events)), handed_(std::move(handed)) {}

void MortalJournal::die(int silent, int later, std::function<void()> at_death) {
  std::lock_guard lock(mutex_);
  silent_at_ = silent;
  dead_at_ = silent + later;
  at_death_ = std::move(at_death);
}

void MortalJournal::die_in_call(int calls, int later, std::function<void()> at_death) {
  std::lock_guard lock(mutex_);
  calls_to_start_ = calls;
  later_ = later;
  at_death_ = std::move(at_death);
}

bool MortalJournal::silent() const {
  std::lock_guard lock(mutex_);
  return is_silent();
}

bool MortalJournal::dead() const {
  std::lock_guard lock(mutex_);
  return dead_;
}

std::set<std::string> MortalJournal::calls() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

Handed MortalJournal::handed() const {
  std::lock_guard lock(mutex_);
  return handed_;
}

// One more word; true if it reaches the disk.
bool MortalJournal::writes() {
  ++words_;
  if (is_silent() && words_ > dead_at_) end();
  return !is_silent();
}

void MortalJournal::end() {
  if (std::exchange(dead_, true)) return;
  if (at_death_) at_death_();
}

Handed::Draft* MortalJournal::call_in_draft(const std::string& id) {
  for (auto& [number, draft] : handed_.draft) {
    const auto* call = std::get_if<ToolUseBlock>(&draft.block);
    if (call != nullptr && call->id == id) return &draft;
  }
  return nullptr;
}

void MortalJournal::emit(agent::Event event) {
  std::lock_guard lock(mutex_);
  if (const auto* use = std::get_if<agent::ToolUse>(&event)) calls_.insert(use->tool_use_id);
  if (!writes()) return;
  add_key(handed_.parts, event);
  events_->emit(std::move(event));
}

void MortalJournal::keep(agent::Conversation& conversation) {
  std::lock_guard lock(mutex_);
  context::History& history = conversation.history;
  if (!writes()) return history.forget_stored();
  if (!history.log().empty()) handed_.draft.clear();
  handed_.log.insert(handed_.log.end(), history.log().begin(), history.log().end());
  handed_.view = history.view();
  real_->keep(conversation);
}

void MortalJournal::keep_state(const agent::Conversation& conversation) {
  std::lock_guard lock(mutex_);
  if (writes()) real_->keep_state(conversation);
}

void MortalJournal::keep_block(int number, const Block& block) {
  std::lock_guard lock(mutex_);
  if (!writes()) return;
  handed_.draft[number] = {block, false, std::nullopt};
  real_->keep_block(number, block);
}

void MortalJournal::keep_result(const ToolResultBlock& result) {
  std::lock_guard lock(mutex_);
  if (!writes()) return;
  if (auto* call = call_in_draft(result.tool_use_id)) call->result = result;
  real_->keep_result(result);
}

void MortalJournal::drop_reply() {
  std::lock_guard lock(mutex_);
  if (!writes()) return;
  handed_.draft.clear();
  real_->drop_reply();
}

void MortalJournal::keep_start(const std::string& tool_use_id) {
  std::lock_guard lock(mutex_);
  if (!writes()) return;
  if (auto* call = call_in_draft(tool_use_id)) call->began = true;
  real_->keep_start(tool_use_id);
  if (calls_to_start_ > 0) --calls_to_start_;
}

void MortalJournal::sync(std::function<void(Result<void>)> done) {
  {
    std::lock_guard lock(mutex_);
    if (writes()) {
      if (calls_to_start_ == 0 && silent_at_ < 0) {
        silent_at_ = words_;
        dead_at_ = words_ + later_;
      }
      return real_->sync(std::move(done));
    }
    end();  // it would never have been answered
  }
  done(make_error(Code::io, "the process was killed"));
}

}  // namespace agentd::test
