// Peer: JSON-RPC 2.0 over whole messages. It checks each message strictly, finds the handler by the
// method's name and sees to it that every request gets exactly one reply. It knows no method but
// the two that belong to the base protocol: `$/cancelRequest`, and that an unknown notification
// with `$/` is ignored. One thread dispatches and calls handlers, which must not wait; replies and
// notifications may be sent from any thread.
//
// Not here yet: requests of our own (ACP and MCP need them). Until then a response that comes in
// answers nothing and is dropped.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rpc/errors.h"
#include "rpc/reply.h"

namespace agentd::rpc {

/// Takes one complete JSON text. Any thread; must not wait.
using Send = std::function<void(std::string)>;

/// `params` is an object or array, or null where the message had none.
using RequestHandler = std::function<void(const Json& params, Reply reply)>;
using NotificationHandler = std::function<void(const Json& params)>;

/// Why a request is not dispatched now; notifications are dropped silently.
struct Refusal {
  int number = kInvalidRequest;
  std::string message;
};
using Gate = std::function<std::optional<Refusal>(std::string_view method)>;

class Peer {
 public:
  explicit Peer(Send send);
  ~Peer();  // replies still held elsewhere go nowhere from now on
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void bind_request(std::string method, RequestHandler handler);
  void bind_notification(std::string method, NotificationHandler handler);

  /// Asked before every message with a method of ours; may say no (not initialized, shutting down).
  void set_gate(Gate gate) { gate_ = std::move(gate); }

  /// One message as it came from the framing.
  void receive(std::string_view text);

  /// What came instead of a message: answered with `number` and id null.
  void receive_fault(int number, std::string_view message);

  /// How many requests have no answer yet.
  std::size_t unanswered() const;

  struct Core;

 private:
  void request(const std::string& method, const Json& params, const std::string& id);
  void notification(const std::string& method, const Json& params);
  void cancel_request(const Json& params);

  std::shared_ptr<Core> core_;
  std::map<std::string, RequestHandler, std::less<>> requests_;
  std::map<std::string, NotificationHandler, std::less<>> notifications_;
  Gate gate_;
};

}  // namespace agentd::rpc
