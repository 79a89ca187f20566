// Executor: the calls of one turn, from their first byte to their results. It decides when each
// starts (rules 2 and 3), asks for approval (rule 4), and sees to it that each gets exactly one
// result (rule 5). It lives on the run's thread and never waits: work that may block is a ToolJob
// on a job thread, whose messages come back through the run's mailbox.
//
//   rule 2  a safe call starts as soon as it is whole; any other when the reply has moved on
//   rule 3  a call takes its place when its block begins: a safe one runs when nothing unsafe is
//           running or ahead of it, an unsafe one alone, when everything ahead of it is settled
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "agent/call.h"
#include "agent/conversation.h"
#include "agent/job_threads.h"
#include "agent/repeated_calls.h"
#include "agent/run.h"
#include "agent/tool_job.h"

namespace agentd::agent {

/// How a reply ended, for the calls in it.
enum class ReplyEnd {
  well,          // a positive end: what is whole may start
  output_limit,  // max_tokens or timeout: a call that is the last block counts as cut
  window_full,   // likewise, by the context window
  refusal,       // nothing more may start
  broken,        // the stream died after a call had started
  discarded,     // it died before, and is asked for again: every call is void
};

class Executor {
 public:
  struct Setup {
    const Services& services;
    const OfferedTools& tools;
    Conversation& conversation;
    std::string session_id;
    std::shared_ptr<FlowGate> gate;
    bool approvals = true;    // somebody can be asked
    HookContext hooks = {};   // cwd and mode are filled in for each call
    bool deny_stops = false;  // a person's plain deny ends the run
    std::shared_ptr<Journal> journal = nullptr;
    std::shared_ptr<Checkpoints> checkpoints = nullptr;
    std::function<void(Event)> emit;
    std::function<void(JobMessage)> tell;  // into the run's mailbox, from any thread
  };

  explicit Executor(Setup setup);

  /// A new turn, or another attempt at the same: no calls; `gate_open` false holds every call until
  /// open_gate().
  void begin_turn(bool gate_open, bool again);

  // The reply, as it arrives.
  void begin(int block, std::string id, std::string name);
  void input_delta(int block, std::string_view text);
  void close(int block, const Result<Json>& input);
  void moved_on();  // another block began, or the message ended well: for all calls so far
  void open_gate();
  /// The reply is over: what is not whole by now never will be. `last_block_is_call`: the reply's
  /// last block is the last call.
  void finish_reply(ReplyEnd how, bool last_block_is_call);

  // What happens to calls.
  void handle(JobMessage message);
  Result<void> answer(const ApprovalAnswer& answer);
  Result<void> answer_question(const AnswersGiven& given);
  void set_mode(permission::Mode mode);
  void withdraw_approvals();
  /// Stops everything: running calls are told to stop, the others are settled as cancelled.
  void cancel();
  /// Settles calls that did not stop in time; their threads are left alone. Their names.
  std::vector<std::string> give_up();

  bool settled() const;
  /// Nor is any thread at work.
  bool idle() const { return settled() && jobs_.working() == 0; }
  bool any_began() const;         // a call started: its reply cannot be asked for again
  bool any_about_to_run() const;  // a job is looking, and will run its call if it may
  bool any_open() const { return !settled(); }
  bool any_cut() const { return any_cut_; }
  /// A hook ends the run: why, for people.
  const std::optional<std::string>& stopped_by_hook() const { return hook_stop_; }
  /// Somebody has decided that the run ends with this turn.
  bool must_end() const { return blocked_ || hook_stop_; }
  bool blocked() const { return blocked_; }    // a person's plain deny, and that ends the run
  bool repeated() const { return repeated_; }  // a call closed a circle, nobody could be asked

  /// One per call, in block order. All calls are settled.
  std::vector<Block> results() const;

 private:
  void advance();
  void check(Call& call, bool may_run);
  void start_job(Call& call, bool may_run);
  void ask(Call& call);
  bool puts_plan(const Call& call) const;
  void resolve_question(Call& call, ApprovalDecision decision, ApprovalBy by);
  Result<Call*> asked_call(const std::string& id, CallState state, const char* what);
  void deny_by_person(Call& call, std::string_view text, const std::string& message);
  static bool must_ask_user(const Call& call);
  void ask_user(Call& call);
  void resolve_user_question(Call& call, QuestionBy by);
  void withdraw_user_questions();
  void take_effects(const Call& call, tools::Outcome& outcome);
  void take_todos(const Call& call, std::vector<Todo> todos);
  void take_mode(const Call& call, permission::Mode mode);
  void change_mode(permission::Mode mode);
  void settle(Call& call, ToolStatus status, std::vector<ToolContent> content,
              Json details = nullptr);
  void settle_text(Call& call, ToolStatus status, std::string text);
  void cancel_behind(const Call& failed);
  void cancel_queued_from(std::size_t first, std::string_view text);
  void notice_repetition(Call& call);
  bool can_ask() const;
  void settle_unfinished(Call& call, ReplyEnd how, bool is_last);
  void on(CallChecked& checked);
  void on(HooksRan& ran);
  void on(CallBegan& began);
  void on(CallProgress& progress);
  void on(CallFinished& finished);
  permission::Verdict judge(const Call& call, const Access& access) const;
  void take_input(Call& call, const std::shared_ptr<const Json>& input);
  void after_verdict(Call& call, permission::Verdict verdict);
  bool writes_same_file_ahead(const Call& call) const;
  Call* by_block(int block);
  Call* by_job(std::uint64_t job);
  Call* by_id(const std::string& id);

  Setup setup_;
  std::shared_ptr<const permission::Grants> grants_;
  std::vector<Call> calls_;
  std::unordered_set<std::string> earlier_calls_;  // ids of this run's earlier turns
  JobThreads jobs_;
  std::uint64_t last_job_ = 0;
  int todos_from_block_ = -1;  // of this turn's calls, the one that wrote them
  bool gate_open_ = true;
  bool cancelled_ = false;
  bool any_cut_ = false;
  bool blocked_ = false;
  bool repeated_ = false;
  std::optional<std::string> hook_stop_;
  RepeatedCalls repeated_calls_;
};

}  // namespace agentd::agent
