// Loop: the state of one run while it goes round, and its four steps in the order they are taken.
// It lives on the run's thread; the story it follows is told in run.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "agent/executor.h"
#include "agent/reply.h"
#include "agent/run.h"
#include "agent/run_message.h"
#include "agent/summary_reply.h"
#include "base/mailbox.h"

namespace agentd::agent {

class Loop {
 public:
  Loop(const RunOptions& options, Conversation& conversation, const Services& services, Sink& sink,
       std::shared_ptr<FlowGate> gate, std::shared_ptr<Mailbox<RunMessage>> mailbox);
  ~Loop();

  /// Goes round until an ending, emits everything but RunEnded, and returns that.
  RunEnded run();

  /// After run(), also after an exception left it: closes what is open, stops what goes on.
  /// Names in `end` what could not be stopped.
  void wind_up(RunEnded& end);

  /// Whoever asked for a cancel, to be told the ending after RunEnded.
  std::vector<std::function<void(Ending)>> take_cancel_waiters();

 private:
  // The four steps.
  std::optional<Ending> prepare();
  std::vector<UserMessage> take_messages();
  void deliver(std::vector<UserMessage> messages);
  bool hooks_let_through(const UserMessage& message);
  void stream();
  void settle();
  Decision decide_turn();

  // Parts of stream.
  void request(bool again);
  void strip_foreign_thinking();
  void on_reply_over();
  void finish_calls();
  void send(std::vector<MessagePtr> messages, std::vector<std::size_t> cache_points,
            bool fresh_connection);
  bool wait_before_retry(const model::ModelFailure& failure, int attempt);
  void discard_reply();

  // Model events.
  void on(model::MessageBegan&) {}
  void on(model::BlockBegan& began);
  void on(model::Delta& delta);
  void on(model::BlockEnded& ended);
  void on(model::UsageTold& told);
  void on(model::StopTold& told);
  void on(model::MessageEnded& ended);
  void on(model::Failed& failed);

  // Mailbox messages.
  void handle(RunMessage message);
  void on(ModelArrived& arrived);
  void on(JobArrived& arrived);
  void on(LookedAround& found);
  void on(RetryDue&);
  void on(FlowResumed&);
  void on(GiveUpDue&);
  void on(CancelAsked& asked);
  void on(ApprovalAnswered& answered);
  void on(ModeSet& set);
  void on(ApprovalsWithdrawn&);
  void on(HooksDone& done);
  void on(ModelSet& set);
  void on(MessageSent& sent);
  void on(MessageTakenBack& taken);

  void give_up_in_time();
  bool is_last_block_call() const;
  std::string new_tool_use_id(const std::string& wanted);
  std::optional<Ending> append_prompt();
  void count_overhead();
  void record(const Decision& decision);
  void note_tokens_spent(const Usage& usage);

  // Context of its own (loop_context.cc).
  void look(std::function<LookedAround()> find);
  context::MemoryPlaces memory_places() const;
  std::vector<Block> first_context();
  std::vector<Block> later_context();
  std::vector<context::Attachment> memory_again();
  void add_found(std::vector<Block>& blocks);

  // Hooks (loop_hooks.cc).
  HookContext hook_context() const;
  hooks::MergedVerdict run_hooks(hooks::EventInput event);
  void add_contexts(std::vector<Block>& blocks, std::string_view event,
                    std::vector<std::string> contexts) const;
  std::optional<std::vector<Block>> contexts_for_prompt();
  void tell_hooks_of_batch();
  struct StopHookWord {
    bool objects = false;   // the run goes on
    bool prevents = false;  // it ends here, whatever else waits
  };
  StopHookWord ask_stop_hooks();

  // Compaction (loop_compaction.cc).
  bool make_room();
  bool may_compact() const;
  bool near_the_window() const;
  std::int64_t reserve() const;
  bool compact(CompactionTrigger trigger, const std::string& instructions);
  RunEnded compact_only();
  std::optional<std::string> ask_for_summary(const std::string& instructions);
  void request_summary(std::size_t first, const std::string& instructions, bool again);

  void use_fallback_model();
  void use_chosen_model();
  void use_model(model::ResolvedModel model);
  void record_reply(std::string_view user_text);
  RunEnded ended(Ending ending);
  std::string why(Ending ending) const;
  std::string given_up_note() const;
  TurnFacts facts() const;
  void emit(Event event);
  void hold_if_client_is_slow();
  template <class Condition>
  void wait_until(Condition condition);

  const RunOptions& options_;
  Conversation& conversation_;
  const Services& services_;
  Sink& sink_;
  std::shared_ptr<FlowGate> gate_;
  std::shared_ptr<Mailbox<RunMessage>> mailbox_;
  Executor executor_;

  Spent spent_;
  std::optional<Transition> transition_;
  model::ResolvedModel model_;  // answers now: that of the options, a fallback, or a later choice
  std::optional<model::ResolvedModel> next_model_;  // chosen for the next turn
  std::optional<std::string> new_model_;            // its name, to be told with the next turn
  std::size_t fallbacks_used_ = 0;
  std::int64_t output_limit_ = 0;
  Usage usage_;
  double cost_usd_ = 0;
  std::int64_t round_began_at_ = 0;  // output tokens spent when the tokenBudget was last continued
  WaitingMessages waiting_messages_;
  std::vector<UserMessage> refused_messages_;       // by a hook
  std::unordered_set<std::string> messages_taken_;  // ids the model was told

  Reply reply_{""};
  bool reply_kept_ = true;               // false: discarded, it leaves no trace in history
  bool delivered_ = false;               // the client saw something of this attempt
  std::optional<SummaryReply> summary_;  // while a compaction waits for it
  bool compaction_forbidden_ = false;    // by a hook, the last time
  std::string summary_fault_;            // why the last one did not come
  std::unique_ptr<model::ModelStream> stream_;
  int request_ = 0;  // counts requests; stale events carry an earlier number
  bool retry_due_ = false;
  bool held_ = false;  // the stream is paused: the client reads too slowly

  std::stop_source hooks_stop_;
  std::optional<hooks::HookOutcomes> hooks_done_;
  std::string hook_reason_;            // of the hook that decided last, for people
  std::vector<Block> batch_contexts_;  // what PostToolBatch hooks say, for the model
  bool batch_stopped_ = false;

  bool cancelled_ = false;
  bool call_was_open_ = false;  // when it was cancelled
  std::vector<std::function<void(Ending)>> cancel_waiters_;
  std::unique_ptr<Timer> give_up_timer_;
  bool gave_up_ = false;
  std::vector<std::string> given_up_;  // the calls that did not stop

  std::optional<LookedAround> looked_;
  std::optional<TimePoint> last_look_;
  std::vector<Attachment> attached_;  // to be told with the turn
  std::thread looking_around_;
};

template <class Condition>
void Loop::wait_until(Condition condition) {
  while (!condition() && !cancelled_) {
    auto message = mailbox_->pop();
    if (!message) return;
    handle(std::move(*message));
  }
}

}  // namespace agentd::agent
