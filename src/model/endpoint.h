// Endpoint: one address of a model API, to which requests are posted and whose answers come back as
// ModelEvents. What every API over HTTP has in common:
//
//   post      on the caller's thread
//   http      the answer is decoded there, in the data callback: one batch of events per chunk
//   clock     three stall clocks watch the silence (first byte, bytes, progress)
//
// The reply is over where its decoder says so, whether or not the connection closes. Retrying is
// the run's business: every failure goes up as one Failed, without the key in its words.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/provider.h"
#include "model/reply_decoder.h"
#include "platform/http.h"

namespace agentd::model {

/// A request's body, sent one piece after the other.
using BodyPieces = std::vector<std::shared_ptr<const std::string>>;

struct EndpointOptions {
  std::string url;
  std::vector<std::string> headers;  // `name: value`, those of the API; ours are added
  std::string key;                   // never passed on in a failure's words; empty: none
  EndpointSettings settings;         // told with each failure
  StallClocks stalls;
};

class Endpoint {
 public:
  /// `clock` and `http` outlive the endpoint and its streams.
  Endpoint(EndpointOptions options, Clock& clock, platform::Http& http);

  [[nodiscard]] std::unique_ptr<ModelStream> post(BodyPieces body,
                                                  std::unique_ptr<ReplyDecoder> decoder,
                                                  bool fresh_connection, OnModelEvents on_events);

  const std::string& url() const { return options_.url; }

 private:
  class Leavers;
  class Stream;
  OnModelEvents completing_failures(OnModelEvents on_events) const;

  EndpointOptions options_;
  Clock& clock_;
  platform::Http& http_;
  std::shared_ptr<Leavers> leavers_;
};

/// `path` below the base of an API whose version is 1, whether or not the base already says so:
/// ("http://gate", "messages") -> "http://gate/v1/messages".
std::string url_below(std::string base_url, std::string_view path);

}  // namespace agentd::model
