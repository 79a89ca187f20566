#include "platform/running_command.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <asio/post.hpp>
#include <cerrno>
#include <utility>

#include "base/log.h"
#include "platform/errno_error.h"

namespace agentd::platform {
namespace {

using namespace std::chrono_literals;
using Descriptor = asio::posix::stream_descriptor;

// After the exit: for output that is on its way through a process substitution, say. A child that
// keeps the pipe open (`server &`) is not waited for longer.
constexpr auto kDrain = 100ms;
constexpr int kChunksAtOnce = 16;  // then others on this thread have their turn

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("make", "a pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Only our end: the program's end is another open file description and stays blocking.
void make_non_blocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

std::string search_path(const EnvironmentEntries& base, const EnvironmentEntries& added) {
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const auto* entries : {&base, &added}) {
    for (const auto& [name, value] : *entries) {
      if (name == "PATH") path = value;
    }
  }
  return path;
}

}  // namespace

RunningCommand::RunningCommand(CommandRoom& room, CommandSpec spec, Done done)
    : room_(room),
      spec_(std::move(spec)),
      done_(std::move(done)),
      timer_(room.context),
      output_(spec_.keep_head, spec_.keep_tail),
      error_output_(spec_.keep_head, spec_.keep_tail),
      whole_(spec_.whole_limit) {}

void RunningCommand::start() {
  started_ = std::chrono::steady_clock::now();
  if (auto launched = launch(); !launched) {
    phase_ = Phase::done;
    if (tree_) room_.trees.close(tree_);
    std::exchange(done_, nullptr)(std::move(launched.error()));
    return;
  }
  if (stdin_) feed_stdin();
  for (std::size_t index = 0; index < sources_.size(); ++index) {
    if (sources_[index]) wait_readable(index);
  }
  start_timeout();
}

Result<void> RunningCommand::launch() {
  auto output = make_pipe();
  if (!output) return std::move(output.error());
  Result<Pipe> errors = spec_.merge_streams ? Result<Pipe>(Pipe{}) : make_pipe();
  if (!errors) return std::move(errors.error());
  Result<Pipe> input = spec_.stdin_text.empty() ? Result<Pipe>(Pipe{}) : make_pipe();
  if (!input) return std::move(input.error());
  if (spec_.stdin_text.empty()) input->read = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input->read.valid()) return errno_error("open", "/dev/null", errno);

  tree_ = room_.trees.open(room_.mark_prefix + std::to_string(++room_.commands_started),
                           spec_.session_id);
  spec_.environment.emplace_back(kCallMark, tree_->mark);
  ProgramStart program;
  program.argv = spec_.argv;
  program.environment = child_environment(room_.environment, spec_.environment);
  program.search_path = search_path(room_.environment, spec_.environment);
  program.cwd = spec_.cwd;
  program.cwd_links = spec_.cwd_links;
  program.stdio = {input->read.get(), output->write.get(),
                   spec_.merge_streams ? output->write.get() : errors->write.get()};
  auto pid = room_.children.start(
      program, [self = shared_from_this()](int wait_status) { self->on_exit(wait_status); });
  if (!pid) return std::move(pid.error());
  tree_->root = *pid;

  const auto watch = [&](std::size_t index, Fd& fd, OutputStream stream) {
    if (!fd.valid()) return;
    make_non_blocking(fd);
    sources_[index] = std::make_unique<Source>(room_.context, fd.release(), stream);
  };
  watch(0, output->read, OutputStream::standard_output);
  watch(1, errors->read, OutputStream::standard_error);
  if (input->write.valid()) {
    make_non_blocking(input->write);
    stdin_.emplace(room_.context, input->write.release());
  }
  return {};
}

void RunningCommand::start_timeout() {
  if (spec_.timeout <= 0ms) return;
  timer_.expires_at(started_ + spec_.timeout);
  timer_.async_wait([weak = weak_from_this()](const std::error_code& error) {
    const auto self = weak.lock();
    if (!error && self && self->phase_ == Phase::running) {
      self->begin_kill(CommandEnd::How::timed_out);
    }
  });
}

void RunningCommand::stop(CommandEnd::How how) {
  switch (phase_) {
    case Phase::running:
      return begin_kill(how);
    case Phase::draining:
      return finish({});
    case Phase::killing:
    case Phase::done:
      return;
  }
}

// --- input and output ---

// A program that closes its standard input, or ends without reading it, has a right to: whatever
// the error is, the rest is not sent, and the exit code decides.
void RunningCommand::feed_stdin() {
  while (stdin_sent_ < spec_.stdin_text.size()) {
    const ssize_t written = ::write(stdin_->native_handle(), spec_.stdin_text.data() + stdin_sent_,
                                    spec_.stdin_text.size() - stdin_sent_);
    if (written > 0) {
      stdin_sent_ += static_cast<std::size_t>(written);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      stdin_->async_wait(Descriptor::wait_write,
                         [weak = weak_from_this()](const std::error_code& error) {
                           const auto self = weak.lock();
                           if (!error && self && self->stdin_) self->feed_stdin();
                         });
      return;
    }
    break;
  }
  stdin_.reset();
}

void RunningCommand::wait_readable(std::size_t index) {
  if (phase_ == Phase::running && spec_.gate) {
    const bool open =
        spec_.gate->pass_or_wait([weak = weak_from_this(), index, &context = room_.context] {
          asio::post(context, [weak, index] {
            if (const auto self = weak.lock()) self->wait_readable(index);
          });
        });
    if (!open) return;
  }
  if (!sources_[index] || sources_[index]->waiting) return;
  sources_[index]->waiting = true;
  sources_[index]->pipe.async_wait(Descriptor::wait_read,
                                   [weak = weak_from_this(), index](const std::error_code& error) {
                                     const auto self = weak.lock();
                                     if (!error && self) self->on_readable(index);
                                   });
}

void RunningCommand::on_readable(std::size_t index) {
  if (!sources_[index]) return;
  sources_[index]->waiting = false;
  Reading reading = Reading::again;
  for (int chunk = 0; chunk < kChunksAtOnce && reading == Reading::again; ++chunk) {
    reading = read_once(*sources_[index]);
  }
  if (reading != Reading::closed) return wait_readable(index);
  sources_[index].reset();
  if (phase_ == Phase::draining && pipes_closed()) finish({});
}

RunningCommand::Reading RunningCommand::read_once(Source& source) {
  auto& buffer = room_.read_buffer;
  const ssize_t got = ::read(source.pipe.native_handle(), buffer.data(), buffer.size());
  if (got > 0) {
    take(source.stream, {buffer.data(), static_cast<std::size_t>(got)});
    return Reading::again;
  }
  if (got < 0 && errno == EINTR) return Reading::again;
  return got < 0 && errno == EAGAIN ? Reading::later : Reading::closed;
}

// As much as the pipe holds at this moment, not what somebody goes on writing.
void RunningCommand::read_what_is_there(std::size_t index) {
  if (!sources_[index]) return;
  int there = 0;
  if (::ioctl(sources_[index]->pipe.native_handle(), FIONREAD, &there) != 0) there = 0;
  Reading reading = Reading::again;
  const std::size_t chunks = static_cast<std::size_t>(there) / room_.read_buffer.size() + 2;
  for (std::size_t chunk = 0; chunk < chunks && reading == Reading::again; ++chunk) {
    reading = read_once(*sources_[index]);
  }
  if (reading == Reading::closed) sources_[index].reset();
}

void RunningCommand::take(OutputStream stream, std::string_view bytes) {
  if (spec_.keep_whole && (whole_.open() || capture_of(stream).would_skip(bytes.size()))) {
    keep_whole(bytes);
  }
  capture_of(stream).add(bytes);
  if (spec_.on_output) spec_.on_output(stream, bytes);
  const std::uint64_t total = output_.total() + error_output_.total();
  if (spec_.kill_above > 0 && total > spec_.kill_above && phase_ == Phase::running) {
    begin_kill(CommandEnd::How::too_much_output);
  }
}

// The file begins when memory is about to lose its first byte, with all that memory holds.
void RunningCommand::keep_whole(std::string_view bytes) {
  if (whole_failed_) return;
  if (!whole_.open()) {
    auto path = room_.outputs.new_path(spec_.session_id);
    auto started = path ? whole_.start(std::move(*path)) : Result<void>(path.error());
    if (!started) {
      whole_failed_ = true;
      log::warning(started.error().message);
      return;
    }
    for (const OutputCapture* capture : {&output_, &error_output_}) {
      whole_.add(capture->head());
      whole_.add(capture->tail());
    }
  }
  whole_.add(bytes);
}

// --- the end ---

void RunningCommand::on_exit(int wait_status) {
  wait_status_ = wait_status;
  if (phase_ == Phase::killing) return kill_->look();
  if (phase_ != Phase::running) return;
  phase_ = Phase::draining;
  read_what_is_there(0);
  read_what_is_there(1);
  if (pipes_closed()) return finish({});
  timer_.expires_after(kDrain);
  timer_.async_wait([weak = weak_from_this()](const std::error_code& error) {
    const auto self = weak.lock();
    if (!error && self && self->phase_ == Phase::draining) self->finish({});
  });
  // What the gate held back is read now: it is bounded by the pipe.
  for (std::size_t index = 0; index < sources_.size(); ++index) wait_readable(index);
}

void RunningCommand::begin_kill(CommandEnd::How how) {
  phase_ = Phase::killing;
  how_ = how;
  timer_.cancel();
  kill_ = std::make_shared<TreeKill>(
      room_.context, room_.trees, tree_,
      [self = shared_from_this()](const std::vector<ProcessInfo>& left) { self->finish(left); });
  // Not from within take(), whose caller still holds the pipe that finish() would close.
  asio::post(room_.context, [kill = kill_] { kill->start(); });
}

void RunningCommand::finish(const std::vector<ProcessInfo>& unkillable) {
  const bool killed = phase_ == Phase::killing;
  phase_ = Phase::done;
  timer_.cancel();
  read_what_is_there(0);
  read_what_is_there(1);
  sources_ = {};
  stdin_.reset();

  CommandEnd end;
  end.how = how_;
  if (!killed && wait_status_ && WIFSIGNALED(*wait_status_)) end.how = CommandEnd::How::signalled;
  if (wait_status_ && WIFEXITED(*wait_status_)) end.exit_code = WEXITSTATUS(*wait_status_);
  if (wait_status_ && WIFSIGNALED(*wait_status_)) end.signal = WTERMSIG(*wait_status_);
  end.standard_output = output_.take();
  end.standard_error = error_output_.take();
  end.whole_file = whole_.path();
  end.whole_bytes = whole_.written();
  for (const ProcessInfo& process : unkillable) {
    end.unkillable.push_back(describe_process(process.pid));
  }

  bool left = !unkillable.empty();
  if (!killed) {
    for (const ProcessInfo& process : room_.trees.survivors(*tree_)) {
      end.still_running.push_back(describe_process(process.pid));
      left = true;
    }
  }
  tree_->command_ended = true;
  if (!left) room_.trees.close(tree_);
  kill_.reset();
  end.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started_);
  std::exchange(done_, nullptr)(std::move(end));
}

}  // namespace agentd::platform
