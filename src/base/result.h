// Result<T> and Error: how failures travel between rooms. No exception crosses a room; a function
// that can fail returns Result, and the compiler warns when a Result is dropped.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace agentd {

/// What kind of failure it was. Closed set; rpc/errors.h maps it to JSON-RPC numbers.
enum class Code {
  invalid_input,      // a value breaks its declared shape; `where` is the path of the fault
  not_found,          // a file, session, run, model or tool does not exist
  permission_denied,  // the operating system or a rule refused
  too_large,          // a stated limit was passed
  conflict,           // the thing changed underneath, or two uses exclude each other
  unavailable,        // a needed part is missing or does not answer
  timeout,            // a deadline passed
  cancelled,          // somebody asked to stop
  session_busy,       // a run is already going on in this session
  session_locked,     // another process is writing this session
  too_late,           // the question was answered or withdrawn before
  not_delivered,      // the run ended before the message could be told
  unknown_call,       // no such tool call in this run
  unknown_run,        // no such run
  io,                 // the operating system failed in another way
  internal,           // a bug of ours
};

/// A failure in words for a person: what happened, to what, what to do next.
struct Error {
  Code code = Code::internal;
  std::string message;
  std::string where;  // path of the fault (`params.prompt[1].type`), file or URL; may be empty
};

/// A value or an Error.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

inline Error make_error(Code code, std::string message, std::string where = {}) {
  return Error{code, std::move(message), std::move(where)};
}

}  // namespace agentd
