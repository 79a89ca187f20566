// The process's life: input and its end, signals, a client that is gone. Every end is the same
// path: runs are cancelled, settle and tell so; sessions end with their hooks; then the outbox
// drains and the process leaves. The first reason to leave decides the exit code.
#include <array>
#include <csignal>
#include <memory>
#include <utility>

#include "base/log.h"
#include "platform/stdio.h"
#include "server/server.h"

namespace agentd::server {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

void Server::watch_signals() {
  engine_.io().on_signal({SIGINT, SIGTERM, SIGHUP}, [this](int number) {
    const int code = number == SIGINT ? exit_code::kInterrupted : exit_code::kTerminated;
    inbox_.post([this, code] { signalled(code); });
  });
}

// The first asks us to leave in good order, another one to do so now.
void Server::signalled(int code) {
  hurried_ = std::exchange(signalled_, true);
  if (hurried_ && session_end_) session_end_->hurry();
  leave(code);
}

// Nobody asks for more, no run is left, and who still waits for an answer has it.
bool Server::work_is_over() const {
  return (leaving_ || (drain_runs_ && store_questions_ == 0)) && sessions_.idle();
}

bool Server::may_leave() const {
  return work_is_over() && sessions_ended_;
}

// One step: waits for input or for the inbox, and does what came.
void Server::read_input() {
  if (!input_open_) {
    // Nothing more is read; only the inbox can change anything.
    std::array<char, 1> nothing{};
    (void)platform::read_or_wake(-1, inbox_.wake(), nothing);
    return inbox_.work();
  }
  std::array<char, kReadBytes> buffer;
  const platform::ReadStep step = platform::read_or_wake(options_.input, inbox_.wake(), buffer);
  switch (step.kind) {
    case platform::ReadStep::Kind::woken:
      return inbox_.work();
    case platform::ReadStep::Kind::data:
      reader_.feed({buffer.data(), step.bytes});
      return take_frames();
    case platform::ReadStep::Kind::failed:
      log::error("server: reading failed: errno " + std::to_string(step.error));
      return end_of_input();
    case platform::ReadStep::Kind::end:
      return end_of_input();
  }
}

void Server::take_frames() {
  while (!leaving_) {
    const std::optional<rpc::Frame> frame = reader_.next();
    if (!frame) return;
    if (phase_ == Phase::fresh) outbox_.set_framing(reader_.framing());
    switch (frame->kind) {
      case rpc::Frame::Kind::message:
        peer_.receive(frame->text);
        break;
      case rpc::Frame::Kind::malformed:
        peer_.receive_fault(rpc::kParseError, "skipped bytes that are no message: " + frame->text);
        break;
      case rpc::Frame::Kind::too_large:
        peer_.receive_fault(rpc::kInvalidRequest, "refused " + frame->text);
        break;
    }
  }
}

// Frames: the editor is gone. Lines: a pipe has said all it wants; the running work finishes, and
// questions that nobody can answer any more are denied.
void Server::end_of_input() {
  reader_.finish();
  take_frames();
  input_open_ = false;
  if (leaving_) return;
  if (reader_.framing() != rpc::Framing::lines) return leave(exit_code::kError);
  log::info("server: input ended; the running work finishes");
  drain_runs_ = true;
  approvals_ = false;  // of a start that still waits for its session, too
  sessions_.each_active([](agent::Run& run) { run.withdraw_approvals(); });
}

void Server::on_run_ended(const std::string& session_id, agent::Conversation conversation) {
  for (const auto& waiting : sessions_.run_ended(session_id, std::move(conversation))) {
    waiting.go_on();
  }
  if (shutdown_answer_ && sessions_.idle()) end_sessions();
}

// When no run is left and none can begin.
void Server::end_sessions() {
  if (session_end_ || sessions_ended_) return;
  if (hurried_) return on_sessions_ended();
  SessionEnd::Told told;
  told.hook = [this](const std::string& session_id, const hooks::HookRecord& record) {
    outbox_.send(session_hook_message(session_id, record));
  };
  told.done = [this] { inbox_.post([this] { on_sessions_ended(); }); };
  session_end_ = std::make_unique<SessionEnd>(sessions_.hook_contexts(), engine_.io().clock(),
                                              engine_.io().commands(), std::move(told));
}

void Server::on_sessions_ended() {
  sessions_ended_ = true;
  if (!shutdown_answer_) return;
  shutdown_answer_->result(nullptr);
  shutdown_answer_.reset();
}

void Server::leave(int code) {
  if (leaving_) return;
  leaving_ = code;
  input_open_ = false;
  cancel_runs();
}

void Server::cancel_runs() {
  sessions_.each_active([](agent::Run& run) { run.cancel([](agent::Ending) {}); });
}

}  // namespace agentd::server
