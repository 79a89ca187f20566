// Outbox: the writer thread and its queue. Whoever has something to say puts it here and goes on:
// nobody waits for the client. The writer alone blocks, in poll() only, with at most 4 KB per
// write: the descriptor is shared with our parent, so it is never set non-blocking, and a pipe that
// polls writable takes that much without blocking. The first frame after a pause is written by its
// sender where the reader has room for it, under the lock: it need not wait for another thread.
//
// When the client reads more slowly than a run speaks:
//   - a delta joins the last unsent frame of its run, method and fields, so a backlog grows by its
//     text alone;
//   - live progress beyond 64 KB in one frame keeps its head and tail and says what it skipped;
//   - past 1 MB unsent of a run its FlowGate closes and its producers stop reading; at half it
//     opens again;
//   - replies and everything that is not a delta are never dropped;
//   - past 64 MB unsent the client counts as gone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/flow_gate.h"
#include "rpc/framing.h"

namespace agentd::rpc {

/// A piece of text to be added to what a client has: joined with others while it waits.
struct Delta {
  std::string_view method;
  std::string_view fields;      // JSON members before the text: `"blockId":"b1"`
  std::string_view text_field;  // the member that holds the text
  std::string_view text;        // valid UTF-8, not yet escaped
  bool lossy = false;           // live progress: its middle may be skipped
};

/// The numbered notifications of one run. Any one thread at a time; its order is the client's.
class RunChannel {
 public:
  struct State;
  explicit RunChannel(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// `fields` are the members of params besides sessionId, runId and seq, without braces.
  void notify(std::string_view method, std::string_view fields);
  void delta(const Delta& delta);
  /// A whole message that has a number of its own, if any; only its bytes count as the run's.
  void send(std::string body);

 private:
  std::shared_ptr<State> state_;
};

struct OutboxLimits {
  std::size_t run_close = 1024 * 1024;   // unsent bytes of a run that close its gate
  std::size_t lossy_frame = 64 * 1024;   // text of one lossy frame before its middle is skipped
  std::size_t gone = 64u * 1024 * 1024;  // unsent bytes in all that mean nobody reads
};

class Outbox {
 public:
  /// `fd` stays the caller's. `gone` is called once, on the writer thread, when nobody reads any
  /// more (closed, failed, or too much unsent); from then on everything is dropped.
  Outbox(int fd, std::function<void(std::string why)> gone, OutboxLimits limits = {});
  ~Outbox();  // drains for no time at all
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// How frames are written; set before the first one is sent.
  void set_framing(Framing framing);

  /// One JSON text that belongs to no run. Any thread.
  void send(std::string body);

  /// The ids are plain text. `gate` may be null.
  RunChannel open_run(std::string_view session_id, std::string_view run_id,
                      std::shared_ptr<FlowGate> gate);

  /// Nothing more is taken; writes what is there, for at most `limit`, and ends the thread. True
  /// if all of it was written.
  bool drain(std::chrono::milliseconds limit);

  struct Core;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace agentd::rpc
