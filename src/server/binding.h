// Binding: a method of the protocol's table to a handler with its types: params are decoded before
// the handler sees them (a fault is answered with its path), the result is encoded from its
// struct.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "protocol/methods.h"
#include "rpc/peer.h"
#include "wire/decode.h"
#include "wire/encode.h"

namespace agentd::server {

/// The typed answer to one request; copies are the same answer. Any thread.
template <class Result>
class Answer {
 public:
  explicit Answer(rpc::Reply reply) : reply_(std::move(reply)) {}

  void result(const Result& result) const {
    if constexpr (std::is_null_pointer_v<Result>) {
      reply_.result("null");
    } else {
      reply_.result(wire::encode(result));
    }
  }
  void error(const Error& error, std::string_view data_fields = {}) const {
    reply_.error(error, data_fields);
  }
  const rpc::Reply& reply() const { return reply_; }

 private:
  rpc::Reply reply_;
};

/// Params of a message that needs none are not looked at: clients send null, {} and [].
template <class Params>
Result<Params> decode_params(const rpc::Json& params) {
  if constexpr (std::is_same_v<Params, protocol::Empty>) {
    return Params{};
  } else {
    return wire::decode<Params>(params, "params");
  }
}

template <class Params, class Result, class Handler>
void bind(rpc::Peer& peer, const protocol::Request<Params, Result>& method, Handler handler) {
  peer.bind_request(std::string(method.name),
                    [handler = std::move(handler)](const rpc::Json& json, rpc::Reply reply) {
                      auto params = decode_params<Params>(json);
                      if (!params) return reply.error(params.error());
                      handler(std::move(*params), Answer<Result>(std::move(reply)));
                    });
}

/// A notification with bad params is dropped: there is nobody to tell.
template <class Params, class Handler>
void bind(rpc::Peer& peer, const protocol::Notification<Params>& method, Handler handler) {
  peer.bind_notification(std::string(method.name),
                         [handler = std::move(handler)](const rpc::Json& json) {
                           auto params = decode_params<Params>(json);
                           if (params) handler(std::move(*params));
                         });
}

}  // namespace agentd::server
