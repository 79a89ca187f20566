// QueuedFrame: one message waiting in the outbox, or the beginning of one: a delta stays open for
// more text until the writer takes it. Plain functions over a plain value; the outbox's lock is
// around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rpc/outbox.h"

namespace agentd::rpc {

struct QueuedFrame {
  std::shared_ptr<RunChannel::State> run;  // null: belongs to no run
  std::string body;                        // JSON text; of a delta without its end
  bool delta = false;
  std::string key;             // of a delta: method and fields
  std::string tail;            // of a lossy delta past half its limit: its end, not yet escaped
  std::size_t text_bytes = 0;  // of a lossy delta: text in `body`, unescaped
  std::size_t skipped = 0;     // of a lossy delta: bytes left out before `tail`

  std::size_t size() const { return body.size() + tail.size(); }
};

/// Begins `{"jsonrpc":"2.0","method":...,"params":{...,"seq":N,fields`.
void begin_notification(std::string& out, std::string_view params, std::uint64_t seq,
                        std::string_view method, std::string_view fields);

/// A frame for `delta`, without its text.
QueuedFrame open_delta(std::string_view params, std::uint64_t seq, const Delta& delta);

/// True if text of `delta` may be added to `frame`.
bool joins(const QueuedFrame& frame, const Delta& delta);

/// Adds the text. Of a lossy delta at most `lossy_limit` bytes or so are kept.
void add_text(QueuedFrame& frame, const Delta& delta, std::size_t lossy_limit);

/// Closes the open string of a delta: `body` is a complete message.
void close_delta(QueuedFrame& frame, std::size_t lossy_limit);

}  // namespace agentd::rpc
