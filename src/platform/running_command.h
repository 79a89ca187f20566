// RunningCommand: one program from start to CommandEnd. It lives on the io thread, which calls it
// for readable pipes, the exit, timers and stop requests; nothing in it waits.
//
//   running --exit--> draining --pipes closed, or 100 ms--> done
//      \--timeout, stop, too much output--> killing --nobody left, or 3 s--> done
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "platform/call_tree.h"
#include "platform/capture.h"
#include "platform/commands.h"
#include "platform/environment.h"
#include "platform/output_files.h"
#include "platform/tree_kill.h"

namespace agentd::platform {

/// What all commands share. Owned by the io thread's state.
struct CommandRoom {
  asio::io_context& context;
  Children& children;
  CallTrees& trees;
  OutputFiles& outputs;
  EnvironmentEntries environment;
  std::string mark_prefix;  // makes marks of two agentd distinct
  std::uint64_t commands_started = 0;
  std::array<char, 64 * 1024> read_buffer{};  // a pipe's default capacity
};

class RunningCommand : public std::enable_shared_from_this<RunningCommand> {
 public:
  using Done = std::function<void(Result<CommandEnd>)>;

  /// `done` is called once.
  RunningCommand(CommandRoom& room, CommandSpec spec, Done done);

  void start();
  /// Ends it early. Without effect once its program has exited, but then it ends at once.
  void stop(CommandEnd::How how);

 private:
  enum class Phase { running, draining, killing, done };

  // A pipe that the program writes to.
  struct Source {
    Source(asio::io_context& context, int fd, OutputStream which)
        : pipe(context, fd), stream(which) {}
    asio::posix::stream_descriptor pipe;
    OutputStream stream;
    bool waiting = false;  // for readability; false while the gate is closed
  };
  enum class Reading { again, later, closed };

  Result<void> launch();
  void start_timeout();

  void feed_stdin();
  void wait_readable(std::size_t index);
  void on_readable(std::size_t index);
  Reading read_once(Source& source);
  void read_what_is_there(std::size_t index);
  void take(OutputStream stream, std::string_view bytes);
  void keep_whole(std::string_view bytes);

  void on_exit(int wait_status);
  void begin_kill(CommandEnd::How how);
  void finish(const std::vector<ProcessInfo>& unkillable);
  bool pipes_closed() const { return !sources_[0] && !sources_[1]; }
  OutputCapture& capture_of(OutputStream stream) {
    return stream == OutputStream::standard_output ? output_ : error_output_;
  }

  CommandRoom& room_;
  CommandSpec spec_;
  Done done_;
  Phase phase_ = Phase::running;
  std::chrono::steady_clock::time_point started_;
  asio::steady_timer timer_;  // the timeout, later the end of draining

  std::shared_ptr<CallTree> tree_;
  std::shared_ptr<TreeKill> kill_;
  std::optional<int> wait_status_;
  CommandEnd::How how_ = CommandEnd::How::exited;

  std::array<std::unique_ptr<Source>, 2> sources_;
  std::optional<asio::posix::stream_descriptor> stdin_;
  std::size_t stdin_sent_ = 0;
  OutputCapture output_;
  OutputCapture error_output_;
  WholeOutput whole_;
  bool whole_failed_ = false;
};

}  // namespace agentd::platform
