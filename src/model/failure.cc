#include "model/failure.h"

namespace agentd::model {

std::string_view to_string(FailureClass failure_class) {
  switch (failure_class) {
    case FailureClass::overloaded:
      return "overloaded";
    case FailureClass::rate_limit:
      return "rate_limit";
    case FailureClass::api_error:
      return "api_error";
    case FailureClass::network:
      return "network";
    case FailureClass::stream_truncated:
      return "stream_truncated";
    case FailureClass::malformed_event:
      return "malformed_event";
    case FailureClass::empty_response:
      return "empty_response";
    case FailureClass::not_sse:
      return "not_sse";
    case FailureClass::timeout_idle:
      return "timeout_idle";
    case FailureClass::auth:
      return "auth";
    case FailureClass::billing:
      return "billing";
    case FailureClass::not_found:
      return "not_found";
    case FailureClass::invalid_request:
      return "invalid_request";
    case FailureClass::context_overflow:
      return "context_overflow";
    case FailureClass::too_large:
      return "too_large";
    case FailureClass::image_refused:
      return "image_refused";
    case FailureClass::thinking_refused:
      return "thinking_refused";
    case FailureClass::output_limit_refused:
      return "output_limit_refused";
    case FailureClass::tls:
      return "tls";
  }
  return "api_error";
}

bool may_pass(FailureClass failure_class) {
  switch (failure_class) {
    case FailureClass::overloaded:
    case FailureClass::rate_limit:
    case FailureClass::api_error:
    case FailureClass::network:
    case FailureClass::stream_truncated:
    case FailureClass::malformed_event:
    case FailureClass::empty_response:
    case FailureClass::not_sse:
    case FailureClass::timeout_idle:
      return true;
    case FailureClass::auth:
    case FailureClass::billing:
    case FailureClass::not_found:
    case FailureClass::invalid_request:
    case FailureClass::context_overflow:
    case FailureClass::too_large:
    case FailureClass::image_refused:
    case FailureClass::thinking_refused:
    case FailureClass::output_limit_refused:
    case FailureClass::tls:
      return false;
  }
  return false;
}

}  // namespace agentd::model
