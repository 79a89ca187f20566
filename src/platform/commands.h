// Commands: the only way tools and hooks start programs. An interface because a sandbox may stand
// in front. The real one spawns, reads pipes and reaps on the io thread (platform/process.h); the
// calling tool thread waits. Every child: its own session (setsid), stdin from /dev/null, no
// descriptor of ours but its pipes, default signals, killed when agentd dies, environment by
// allow list.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/flow_gate.h"
#include "base/result.h"
#include "platform/links.h"

namespace agentd::platform {

enum class OutputStream { standard_output, standard_error };

struct CommandSpec {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH if it has no slash
  std::string cwd;                // absolute
  Links cwd_links = Links::follow;
  std::vector<std::pair<std::string, std::string>> environment;  // added to the allow list
  std::string stdin_text;                // written to its stdin, then closed; empty: /dev/null
  std::string session_id;                // whose background children these may become
  std::chrono::milliseconds timeout{0};  // 0: none
  std::uint64_t keep_head = 64 * 1024;   // bytes of output kept from the start, per stream
  std::uint64_t keep_tail = 64 * 1024;   // and from the end
  bool keep_whole = false;               // also in a file, capped at `whole_limit`
  std::uint64_t whole_limit = 64ull * 1024 * 1024;
  std::uint64_t kill_above = 0;  // bytes of output after which it is killed; 0: never
  bool merge_streams = false;    // both streams in one pipe, in the order written: all
                                 // output is then standard_output
  /// Called on the io thread with raw bytes as they come; must only post.
  std::function<void(OutputStream, std::string_view)> on_output;
  std::shared_ptr<FlowGate> gate;  // while closed the pipes are not read; may be null
};

/// Output of one stream within bounds.
struct CapturedOutput {
  std::string head;  // everything, if nothing was left out
  std::string tail;  // the last bytes, if the middle was left out
  std::uint64_t total_bytes = 0;
  std::uint64_t skipped_bytes = 0;  // between head and tail
};

struct CommandEnd {
  enum class How { exited, signalled, timed_out, cancelled, too_much_output };
  How how = How::exited;
  int exit_code = 0;  // exited
  int signal = 0;     // signalled
  CapturedOutput standard_output;
  CapturedOutput standard_error;
  std::string whole_file;         // path of the whole output, if kept; the session's to delete
  std::uint64_t whole_bytes = 0;  // how much of it is there: less than all past `whole_limit` and
                                  // after a failed write
  std::vector<std::string> still_running;  // "pid 123 (sleep 300)": left behind by the shell with
                                           // `&`; killed when agentd ends at the latest
  std::vector<std::string> unkillable;     // survived the kill, named so that a person can act
  std::chrono::milliseconds duration{0};
};

class Commands {
 public:
  virtual ~Commands() = default;

  /// Runs one program and waits until it exits (not until its pipes close: a background child may
  /// hold them), it times out, or `stop` is requested. Timeout and stop end the whole tree: TERM,
  /// 2 s, KILL, then whoever left the group. Errors: the program could not be started.
  virtual Result<CommandEnd> run(CommandSpec spec, std::stop_token stop) = 0;

  /// Kills what commands of this session left running; of every session if empty. Waits for it,
  /// at most 3 s.
  virtual void end_session(const std::string& session_id) = 0;
};

}  // namespace agentd::platform
