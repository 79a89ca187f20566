#include "model/failure_advice.h"

#include "model/retry.h"

namespace agentd::model {
namespace {

using std::chrono::milliseconds;

std::string in_words(milliseconds wait) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  const auto up = [&](std::int64_t unit) { return std::to_string((seconds + unit - 1) / unit); };
  if (seconds < 2 * kMinute) return up(1) + " s";
  if (seconds < 2 * kHour) return up(kMinute) + " min";
  return up(kHour) + " h";
}

std::string advice_on_load(const ModelFailure& failure) {
  if (failure.retry_after.value_or(milliseconds(0)) > RetryPolicy().max_retry_after) {
    return "It asks to wait " + in_words(*failure.retry_after) + ": try again after that.";
  }
  return "Try again in a while.";
}

std::string advice(const ModelFailure& failure) {
  if (failure.http_status >= 300 && failure.http_status < 400) {
    return "Set ANTHROPIC_BASE_URL to the address that answers itself; redirects are not followed, "
           "as the key would go along.";
  }
  switch (failure.failure_class) {
    case FailureClass::auth:
      return "Check the key: ANTHROPIC_API_KEY, or anthropic.apiKey in your settings.";
    case FailureClass::billing:
      return "Waiting does not help: check the account's credit and spend limit.";
    case FailureClass::not_found:
      return "Check the model's name (see model/list) and, where it is set, ANTHROPIC_BASE_URL.";
    case FailureClass::overloaded:
    case FailureClass::rate_limit:
      return advice_on_load(failure);
    case FailureClass::tls:
      return "Check the certificates: CURL_CA_BUNDLE or SSL_CERT_FILE names the file of those to "
             "trust.";
    case FailureClass::network:
      return "Check the address (ANTHROPIC_BASE_URL) and the proxy (https_proxy, no_proxy).";
    case FailureClass::not_sse:
      return "Check that ANTHROPIC_BASE_URL is the address of a Messages API.";
    case FailureClass::api_error:
    case FailureClass::stream_truncated:
    case FailureClass::malformed_event:
    case FailureClass::empty_response:
    case FailureClass::timeout_idle:
    case FailureClass::invalid_request:
    case FailureClass::context_overflow:
    case FailureClass::too_large:
      return {};
  }
  return {};
}

bool ends_a_sentence(const std::string& text) {
  return text.ends_with('.') || text.ends_with('!') || text.ends_with('?');
}

}  // namespace

std::string with_advice(const ModelFailure& failure) {
  const std::string what_to_do = advice(failure);
  if (what_to_do.empty() || failure.message.empty()) return failure.message + what_to_do;
  return failure.message + (ends_a_sentence(failure.message) ? " " : ". ") + what_to_do;
}

}  // namespace agentd::model
