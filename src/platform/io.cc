#include "platform/io.h"

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <cerrno>
#include <csignal>
#include <future>
#include <thread>
#include <unordered_set>

#include "base/ids.h"
#include "base/log.h"
#include "platform/running_command.h"
#include "platform/timers.h"

namespace agentd::platform {
namespace {

using Descriptor = asio::posix::stream_descriptor;

// SIGCHLD announces dead orphans through a descriptor. That works only if no thread takes it as a
// signal, so it is blocked here, on the thread that makes Io before there are others.
Fd signal_descriptor_for_children() {
  std::signal(SIGCHLD, SIG_DFL);  // ignored, as a parent may have left it, it would hide exit codes
  sigset_t children{};
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &children, nullptr);
  return Fd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Signals in the order of the event loop, again and again. Kept alive by its own waiting.
class SignalWatch : public std::enable_shared_from_this<SignalWatch> {
 public:
  SignalWatch(asio::io_context& context, std::function<void(int)> handler)
      : signals_(context), handler_(std::move(handler)) {}

  void add(int signal) { signals_.add(signal); }

  void wait() {
    signals_.async_wait([self = shared_from_this()](const std::error_code& error, int signal) {
      if (error) return;
      self->handler_(signal);
      self->wait();
    });
  }

 private:
  asio::signal_set signals_;
  std::function<void(int)> handler_;
};

}  // namespace

struct Io::State {
  State()
      : work(asio::make_work_guard(context)),
        timers(context),
        children(context),
        trees(children),
        room{context, children, trees, outputs, base_child_environment(), "", 0, {}},
        child_signals(context),
        commands(*this) {
    RandomIds ids;
    room.mark_prefix = ids.next(std::to_string(::getpid())) + '_';
  }

  // The Commands of this io thread: calling threads wait on a future, all work is done there.
  class IoCommands final : public Commands {
   public:
    explicit IoCommands(State& state) : state_(state) {}
    Result<CommandEnd> run(CommandSpec spec, std::stop_token stop) override;
    void end_session(const std::string& session_id) override;

   private:
    State& state_;
  };

  void reap_when_told();
  void end_trees(const std::string& session_id, std::function<void()> done);
  void end_tree(const std::shared_ptr<CallTree>& tree, std::function<void()> done);
  void shut_down(std::function<void()> done);

  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work;
  TimerQueue timers;
  OutputFiles outputs;
  Children children;
  CallTrees trees;
  CommandRoom room;
  Descriptor child_signals;
  std::unordered_set<std::shared_ptr<RunningCommand>> running;  // io thread
  std::function<void()> all_ended;                              // set by shut_down
  IoCommands commands;
  std::thread thread;
};

Result<CommandEnd> Io::State::IoCommands::run(CommandSpec spec, std::stop_token stop) {
  if (stop.stop_requested()) {
    CommandEnd end;
    end.how = CommandEnd::How::cancelled;
    return end;
  }
  auto ended = std::make_shared<std::promise<Result<CommandEnd>>>();
  auto result = ended->get_future();
  // `holder` breaks the circle: the command is kept alive by the set, not by its own callback.
  auto holder = std::make_shared<std::weak_ptr<RunningCommand>>();
  auto command = std::make_shared<RunningCommand>(state_.room, std::move(spec),
                                                  [this, ended, holder](Result<CommandEnd> end) {
                                                    ended->set_value(std::move(end));
                                                    state_.running.erase(holder->lock());
                                                    if (state_.running.empty() && state_.all_ended)
                                                      std::exchange(state_.all_ended, nullptr)();
                                                  });
  *holder = command;
  asio::post(state_.context, [this, command] {
    state_.running.insert(command);
    command->start();
  });
  const std::stop_callback on_stop(stop, [&] {
    asio::post(state_.context, [weak = std::weak_ptr(command)] {
      if (const auto alive = weak.lock()) alive->stop(CommandEnd::How::cancelled);
    });
  });
  return result.get();
}

void Io::State::IoCommands::end_session(const std::string& session_id) {
  std::promise<void> ended;
  asio::post(state_.context,
             [&] { state_.end_trees(session_id, [&ended] { ended.set_value(); }); });
  ended.get_future().wait();
}

void Io::State::end_trees(const std::string& session_id, std::function<void()> done) {
  const auto left = trees.left_behind(session_id);
  if (left.empty()) return done();
  auto remaining = std::make_shared<std::size_t>(left.size());
  for (const auto& tree : left) {
    end_tree(tree, [this, tree, remaining, done] {
      trees.close(tree);
      if (--*remaining == 0) done();
    });
  }
}

void Io::State::end_tree(const std::shared_ptr<CallTree>& tree, std::function<void()> done) {
  const auto kill = std::make_shared<TreeKill>(
      context, trees, tree, [done = std::move(done)](const std::vector<ProcessInfo>& alive) {
        for (const ProcessInfo& process : alive) {
          log::warning("could not kill " + describe_process(process.pid));
        }
        done();
      });
  kill->start();
}

void Io::State::shut_down(std::function<void()> done) {
  const auto end_rest = [this, done = std::move(done)] {
    end_tree(CallTrees::everything(), [this, done] {
      children.reap();
      done();
    });
  };
  if (running.empty()) return end_rest();
  all_ended = end_rest;
  const auto commands_now = running;
  for (const auto& command : commands_now) command->stop(CommandEnd::How::cancelled);
}

void Io::State::reap_when_told() {
  child_signals.async_wait(Descriptor::wait_read, [this](const std::error_code& error) {
    if (error) return;
    signalfd_siginfo ignored[16];
    while (::read(child_signals.native_handle(), ignored, sizeof ignored) > 0) {
    }
    children.reap();
    reap_when_told();
  });
}

Io::Io() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error of the write
  std::signal(SIGPIPE, SIG_IGN);  // a program that does not read its standard input is no error
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  Fd signals = signal_descriptor_for_children();
  state_ = std::make_unique<State>();
  if (signals.valid()) {
    state_->child_signals.assign(signals.release());
    state_->reap_when_told();
  }
  state_->thread = std::thread([state = state_.get()] {
    pthread_setname_np(pthread_self(), "io");
    state->context.run();
  });
}

Io::~Io() {
  std::promise<void> ended;
  asio::post(state_->context, [&] { state_->shut_down([&ended] { ended.set_value(); }); });
  ended.get_future().wait();
  state_->context.stop();
  state_->thread.join();
}

void Io::post(std::function<void()> task) {
  asio::post(state_->context, std::move(task));
}

void Io::keep_outputs_in(std::string directory) {
  post([state = state_.get(), directory = std::move(directory)] {
    state->outputs.keep_in(directory);
  });
}

Clock& Io::clock() {
  return state_->timers;
}

Commands& Io::commands() {
  return state_->commands;
}

// Registered here and now, not on the io thread: a signal that comes a moment after this call must
// not find the default action any more.
void Io::on_signal(std::vector<int> signals, std::function<void(int)> handler) {
  auto watch = std::make_shared<SignalWatch>(state_->context, std::move(handler));
  for (const int signal : signals) watch->add(signal);
  watch->wait();
}

void Io::watch_process(int pid, std::function<void()> gone) {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0 && errno == ESRCH) return post(std::move(gone));
  if (pidfd < 0) return log::warning("cannot watch process " + std::to_string(pid));
  auto watch = std::make_shared<Descriptor>(state_->context, pidfd);
  watch->async_wait(Descriptor::wait_read,
                    [watch, gone = std::move(gone)](const std::error_code& error) {
                      if (!error) gone();
                    });
}

}  // namespace agentd::platform
