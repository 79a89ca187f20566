// Stdio: descriptors 0 and 1 as a protocol. They may be pipes, sockets, terminals or files shared
// with the parent, so they are never set non-blocking; whoever uses them waits in poll() beside a
// Wake. The reader thread owns descriptor 0, the outbox the protocol descriptor.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "platform/fd.h"
#include "platform/wake.h"

namespace agentd::platform {

/// First thing in main: SIGPIPE ignored (a closed pipe is an error code, not a death; children get
/// the default back), no core dump or ptrace that would show the key (PR_SET_DUMPABLE 0), and
/// descriptors 0 to 2 open, on /dev/null where the parent closed them, so that no pipe of ours
/// ever takes such a number.
void harden_process();

/// Moves the protocol to a private close-on-exec descriptor and points 1 at standard error: a
/// stray print, ours or a library's, cannot break the framing.
Result<Fd> claim_protocol_output();

struct ReadStep {
  enum class Kind { data, end, woken, failed };
  Kind kind = Kind::failed;
  std::size_t bytes = 0;  // data
  int error = 0;          // failed: errno
};

/// Waits for input or a wake; a wake comes first and is cleared. Reads once.
ReadStep read_or_wake(int fd, Wake& wake, std::span<char> buffer);

struct WriteStep {
  enum class Kind { wrote, woken, closed, failed };
  Kind kind = Kind::failed;
  std::size_t bytes = 0;  // wrote
  int error = 0;          // failed: errno
};

/// At most this much goes into one write: poll() promises room for PIPE_BUF bytes in a pipe, so a
/// blocking descriptor does not block.
inline constexpr std::size_t kWriteAtOnce = 4096;

/// Waits until the reader has room, or for a wake (cleared); then writes once, at most
/// kWriteAtOnce bytes of `text`. closed: nobody reads any more.
WriteStep write_or_wake(int fd, Wake& wake, std::string_view text);

/// True for pipes and sockets: write_if_room() works there.
bool can_write_if_room(int fd);

/// Writes at most kWriteAtOnce bytes of `text` if the reader has room at this moment; never blocks.
/// How many were written: 0 too where nobody reads any more (write_or_wake tells why).
std::size_t write_if_room(int fd, std::string_view text);

/// With nothing to write: waits for a wake (cleared), or until nobody reads any more (closed).
WriteStep wait_idle(int fd, Wake& wake);

}  // namespace agentd::platform
