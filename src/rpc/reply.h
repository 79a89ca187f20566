// Reply: the answer to one request, given exactly once. It travels as a handle: whoever holds it
// last and has not answered answers -32603 by letting go, so a request cannot be forgotten; a
// second answer is dropped and logged. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentd::rpc {

using Json = nlohmann::json;

class Reply {
 public:
  struct State;
  explicit Reply(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// `json` is the result, JSON text.
  void result(std::string_view json) const;
  void error(const Error& error) const;
  /// `data_fields` are further members of `error.data`, JSON text without the braces.
  void error(const Error& error, std::string_view data_fields) const;
  void error_number(int number, std::string_view message) const;

  /// What `$/cancelRequest` for this request does; called at most once, on the thread that
  /// dispatches, and set there. The request must still be answered, with the Reply that the hook
  /// is given if by nothing else (a hook that kept its own Reply would keep itself alive). Without
  /// a hook the cancel is ignored.
  void on_cancel(std::function<void(const Reply&)> hook) const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace agentd::rpc
