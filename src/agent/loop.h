// Loop: the state of one run while it goes round, and its four steps in the order they are taken.
// It lives on the run's thread; the story it follows is told in run.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/batch_summaries.h"
#include "agent/executor.h"
#include "agent/loop_state.h"
#include "agent/reply.h"
#include "agent/run.h"
#include "agent/run_message.h"
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
  void put_back(std::vector<UserMessage> messages);
  bool hooks_let_through(const UserMessage& message);
  bool ends_run(const hooks::MergedVerdict& verdict);
  void stream();
  void settle();
  Decision decide_turn();
  bool discards_reply(const Decision& decision) const;

  // Parts of stream.
  void request(bool again);
  void strip_foreign_thinking();
  void on_reply_over();
  void finish_calls();
  OfferedTools::Definitions told_tools();
  ToolChoice tool_choice() const;
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
  void on(QuestionAnswered& answered);
  void on(ModeSet& set);
  void on(ApprovalsWithdrawn&);
  void on(HooksDone& done);
  void on(ModelSet& set);
  void on(MessageSent& sent);
  void on(MessageTakenBack& taken);
  void on(BatchSummaryArrived& arrived);
  void on(JournalAnswered& answered);
  void on(JournalLate& late);

  void give_up_in_time();
  bool is_last_block_call() const;
  std::string new_tool_use_id(const std::string& wanted);
  std::optional<Ending> append_prompt();
  void count_overhead();
  void record(const Decision& decision);
  void note_tokens_spent(const Usage& usage, const std::optional<model::Prices>& prices);
  std::vector<FinishedCall> finished_calls() const;
  void sum_up_batch();

  // Context of its own (loop_context.cc).
  bool start_thread(std::thread& thread, const char* lost, std::function<void()> work);
  void look(std::function<LookedAround()> find);
  context::MemoryPlaces memory_places() const;
  std::vector<Block> first_context();
  std::vector<Block> later_context(bool new_prompt);
  std::vector<context::Attachment> memory_again();
  void add_found(std::vector<Block>& blocks);
  void announce(std::vector<context::Attachment> shown);
  void tell_attached();

  // Reminders (loop_reminders.cc).
  std::vector<Block> reminders();
  std::string plan_mode_note();
  std::optional<context::Attachment> todos_again();

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
  bool ask_again_differently(SummaryTries& tries, const TextReply& reply);
  bool make_summary_fit(SummaryTries& tries);
  void request_summary(const context::SummaryRequest& request, bool again);
  context::CompactionShares compaction_shares() const;
  void replace_older(const std::string& summary, std::vector<context::Attachment> put_back,
                     bool work_goes_on);

  // Journal (loop_journal.cc).
  void begin_journal();
  void keep_log();
  void keep_before_request();
  void keep_turn();
  void keep_at_end();
  void keep_block(int number);
  void keep_result(const Event& event);
  void ask_journal();
  bool journal_waits() const;
  void look_after_journal();
  void tell_not_stored(const std::string& why);

  // Repair (loop_repair.cc).
  Limits limits(const std::optional<model::ModelFailure>& failure) const;
  void repair_request(const model::ModelFailure& failure);
  void leave_thinking_out(const model::ModelFailure& failure);
  void learn_output_limit(const model::ModelFailure& failure);
  void learn_window();
  void tell_of_repair(model::FailureClass refused, std::string message);

  void use_fallback_model();
  bool may_switch_model() const;
  void use_chosen_model();
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
  const OfferedTools offered_;
  OfferedTools::Definitions called_tools_;  // in place of no tools
  Executor executor_;

  Spent spent_;
  std::optional<Transition> transition_;
  AnsweringModel answering_;
  Expenses expenses_;
  Messages messages_;

  Reply reply_{""};
  std::unique_ptr<model::ModelStream> stream_;
  int request_ = 0;  // counts requests; stale events carry an earlier number
  bool retry_due_ = false;
  bool held_ = false;  // the stream is paused: the client reads too slowly

  TurnHooks turn_hooks_;
  RunningHooks running_hooks_;
  CompactionState compaction_;
  LookState look_;
  BatchSummaries batch_summaries_;
  JournalState journal_;

  bool cancelled_ = false;
  CancelState cancel_;
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
