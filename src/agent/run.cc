// The run's thread and the calls that other threads make on it.
#include "agent/run.h"

#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "agent/event_log.h"
#include "agent/loop.h"
#include "base/log.h"

namespace agentd::agent {

struct Run::State {
  RunOptions options;
  Conversation conversation;
  Services services;
  Sink& sink;
  std::shared_ptr<FlowGate> gate;
  std::function<void(Conversation)> ended;
  std::shared_ptr<Mailbox<RunMessage>> mailbox = std::make_shared<Mailbox<RunMessage>>();
  Ending ending = Ending::internal_error;  // written before the mailbox closes, read after

  void live();
  RunEnded go_round(std::vector<std::function<void(Ending)>>& cancel_waiters);
  void refuse(const std::string& why);
  void take_late(RunMessage& message);
  void answer_late(RunMessage& message);
};

RunEnded Run::State::go_round(std::vector<std::function<void(Ending)>>& cancel_waiters) {
  Loop loop(options, conversation, services, sink, gate, mailbox);
  RunEnded end;
  const auto guarded = [&](auto step) {
    try {
      step();
    } catch (const std::exception& bug) {
      log::error(std::string("run ended by an exception: ") + bug.what());
      end.ending = Ending::internal_error;
      end.message = std::string("agentd failed inside (a bug): ") + bug.what();
    }
  };
  guarded([&] { end = loop.run(); });
  guarded([&] { loop.wind_up(end); });
  cancel_waiters = loop.take_cancel_waiters();
  return end;
}

// The thread's whole life: the loop, then RunEnded, then whoever waits, then the session's turn.
void Run::State::live() {
  std::vector<std::function<void(Ending)>> cancel_waiters;
  RunEnded end = go_round(cancel_waiters);
  ending = end.ending;
  log_event(options.run_id, end);
  sink.emit(std::move(end));
  for (auto& waiter : cancel_waiters) waiter(ending);
  for (auto& message : mailbox->close()) take_late(message);
  ended(std::move(conversation));
}

// No thread could be had: the run is over before it began, and says so like any other.
void Run::State::refuse(const std::string& why) {
  ending = Ending::internal_error;
  mailbox->close();
  sink.emit(RunStarted{options.model.name});
  sink.emit(RunEnded{ending, "agentd could not start a thread for the run: " + why, 0, {}});
  ended(std::move(conversation));
}

// Messages that nobody took before the mailbox was closed.
void Run::State::take_late(RunMessage& message) {
  if (const auto* set = std::get_if<ModeSet>(&message)) conversation.set_mode(set->mode);
  answer_late(message);
}

// A message that came when the run was over already.
void Run::State::answer_late(RunMessage& message) {
  if (auto* cancel = std::get_if<CancelAsked>(&message)) cancel->done(ending);
  if (auto* answer = std::get_if<ApprovalAnswered>(&message)) {
    answer->done(make_error(Code::too_late, "the run has ended"));
  }
  if (auto* answer = std::get_if<QuestionAnswered>(&message)) {
    answer->done(make_error(Code::too_late, "the run has ended"));
  }
  if (auto* sent = std::get_if<MessageSent>(&message)) {
    sent->done(make_error(Code::not_delivered,
                          "the run has ended: start another one on its session with this prompt"));
  }
  if (auto* back = std::get_if<MessageTakenBack>(&message)) {
    back->done(make_error(Code::too_late,
                          "the run has ended; what the model was never told stands "
                          "in its agent/runEnded"));
  }
}

std::atomic<int>& left_behind() {
  static std::atomic<int> count{0};
  return count;
}

Run::Run(RunOptions options, Conversation conversation, const Services& services, Sink& sink,
         std::shared_ptr<FlowGate> gate, std::function<void(Conversation)> ended)
    : state_(new State{std::move(options), std::move(conversation), services, sink, std::move(gate),
                       std::move(ended)}) {
  try {
    thread_ = std::thread([state = state_] { state->live(); });
  } catch (const std::system_error& failure) {
    state_->refuse(failure.what());
  }
}

Run::~Run() {
  if (thread_.joinable()) thread_.join();
}

void Run::cancel(std::function<void(Ending)> done) {
  RunMessage message = CancelAsked{std::move(done)};
  if (!state_->mailbox->push(std::move(message))) state_->answer_late(message);
}

void Run::approve(ApprovalAnswer answer, std::function<void(Result<void>)> done) {
  RunMessage message = ApprovalAnswered{std::move(answer), std::move(done)};
  if (!state_->mailbox->push(std::move(message))) state_->answer_late(message);
}

void Run::answer_question(AnswersGiven answers, std::function<void(Result<void>)> done) {
  RunMessage message = QuestionAnswered{std::move(answers), std::move(done)};
  if (!state_->mailbox->push(std::move(message))) state_->answer_late(message);
}

bool Run::set_mode(permission::Mode mode) {
  return state_->mailbox->push(ModeSet{mode});
}

void Run::set_model(model::ResolvedModel model) {
  state_->mailbox->push(ModelSet{std::move(model)});
}

void Run::send(UserMessage message, std::function<void(Result<void>)> done) {
  RunMessage sent = MessageSent{std::move(message), std::move(done)};
  if (!state_->mailbox->push(std::move(sent))) state_->answer_late(sent);
}

void Run::unsend(std::string message_id, std::function<void(Result<void>)> done) {
  RunMessage taken = MessageTakenBack{std::move(message_id), std::move(done)};
  if (!state_->mailbox->push(std::move(taken))) state_->answer_late(taken);
}

void Run::withdraw_approvals() {
  state_->mailbox->push(ApprovalsWithdrawn{});
}

}  // namespace agentd::agent
