// Events: what a run tells, turned into notifications of the native protocol. One per run; called
// on the run's thread, writes into the outbox and never waits, but for the record of the run's end.
// What a delta needs is appended as text: no tree is built for it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/event.h"
#include "protocol/content.h"
#include "rpc/outbox.h"
#include "session/journal.h"

namespace agentd::server {

/// Where a run's notifications are kept, to be told again when its session is loaded.
struct RunRecord {
  std::shared_ptr<session::SessionJournal> journal;  // nullptr: nowhere
  std::string run_id;
  std::vector<Block> prompt;  // or another message
};

// Run's thread. A message of agent/send was accepted, or taken back: what a kill must not lose.
void keep_sent(const RunRecord& record, const std::string& message_id);
void keep_unsent(const RunRecord& record, const std::string& message_id);

class EventWriter final : public agent::Sink {
 public:
  /// `channel`: absent where nobody listens. `opening` are told right after runStarted: what went
  /// into the run and a person should know.
  EventWriter(std::optional<rpc::RunChannel> channel, std::vector<agent::Notice> opening,
              RunRecord record)
      : channel_(std::move(channel)), opening_(std::move(opening)), record_(std::move(record)) {}

  void emit(agent::Event event) override;

  /// How the run ended; to be read once the run has handed its conversation back.
  agent::Ending ending() const { return ending_; }
  /// The client may know that the run is over. Any thread.
  bool end_told() const { return end_told_; }

 private:
  void write(const agent::RunStarted& event);
  void write(const agent::TurnStarted& event);
  void write(const agent::TurnEnded& event);
  void write(const agent::TextDelta& event);
  void write(const agent::ThinkingDelta& event);
  void write(const agent::ToolUse& event);
  void write(const agent::ToolProgress& event);
  void write(agent::ToolResult& event);
  void write(const agent::ApprovalRequested& event);
  void write(const agent::ApprovalResolved& event);
  void write(agent::QuestionAsked& event);
  void write(const agent::QuestionResolved& event);
  void write(const agent::ReplyDiscarded& event);
  void write(const agent::Retrying& event);
  void write(const agent::ModeChanged& event);
  void write(agent::TodosChanged& event);
  void write(const agent::Attachment& event);
  void write(const agent::Compacting& event);
  void write(const agent::Compacted& event);
  void write(const agent::HookRan& event);
  void write(agent::ToolSummary& event);
  void write(const agent::Notice& event);
  void write(agent::RunEnded& event);

  void block_delta(std::string_view method, const std::string& block_id, const std::string& text);

  void notify(std::string_view method, std::string_view fields);
  void record_message(std::vector<Block> said, const std::string& message_id);

  std::optional<rpc::RunChannel> channel_;
  std::vector<agent::Notice> opening_;
  RunRecord record_;
  agent::Ending ending_ = agent::Ending::internal_error;
  std::atomic<bool> end_told_{false};
  std::string fields_;  // reused from event to event
};

protocol::Usage to_protocol(const Usage& usage);

/// The whole notification agent/sessionHook.
std::string session_hook_message(const std::string& session_id, const hooks::HookRecord& record);

}  // namespace agentd::server
