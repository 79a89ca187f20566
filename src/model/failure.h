// ModelFailure: why a model call did not give a whole reply, in classes that decide what happens
// next. Every vendor's decoder maps its statuses and texts to these.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentd::model {

enum class FailureClass {
  overloaded,        // 529, overloaded_error: retried
  rate_limit,        // 429: retried, not before retry_after
  api_error,         // 5xx and their like: retried
  network,           // could not connect, connection reset before a response: retried
  stream_truncated,  // the stream ended without a positive end: retried
  malformed_event,   // a JSON payload that does not parse, a lost delta: retried
  empty_response,    // nothing came, or a 200 without a message: retried
  not_sse,           // a page instead of a stream: retried
  timeout_idle,      // a stall clock ran out: retried
  auth,              // 401, 403: never retried
  billing,           // 402, spend limit: never retried
  not_found,         // 404, unknown model: never retried
  invalid_request,   // 400: never retried unchanged
  context_overflow,  // the request does not fit the window
  too_large,         // 413
  // The request can be made again without what is refused:
  image_refused,         // an image is too large, of a wrong kind, or the model takes none
  thinking_refused,      // thinking that is not as it was signed, or that is missing
  output_limit_refused,  // the output limit asked for is above the model's
  tls,                   // certificate: never retried
};

std::string_view to_string(FailureClass failure_class);  // the enumerator's name

/// True for what may be gone at the next attempt, or at another model: no fault of the request or
/// of the account.
bool may_pass(FailureClass failure_class);

/// Where a person sets an endpoint's key and address; empty: nowhere.
struct EndpointSettings {
  std::string key;
  std::string address;
};

struct ModelFailure {
  FailureClass failure_class = FailureClass::api_error;
  std::string message;  // for people: what the endpoint said, with its request id
  int http_status = 0;  // 0: none came
  std::optional<std::chrono::milliseconds> retry_after;  // lower bound told by the server
  std::optional<bool> should_retry;  // wins over the class: x-should-retry, or our own knowledge
  std::optional<std::int64_t> allowed_output;  // output_limit_refused: tokens, as far as told
  EndpointSettings settings;                   // of the endpoint that failed
};

}  // namespace agentd::model
