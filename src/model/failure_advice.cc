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

std::string in_brackets(const std::string& setting) {
  return setting.empty() ? "" : " (" + setting + ")";
}

std::string where_set(const std::string& setting) {
  return setting.empty() ? "" : " and, where it is set, " + setting;
}

std::string advice(const ModelFailure& failure) {
  const auto& [key, address] = failure.settings;
  if (failure.http_status >= 300 && failure.http_status < 400 && !address.empty()) {
    return "Set " + address +
           " to the address that answers itself; redirects are not followed, as the key would go "
           "along.";
  }
  switch (failure.failure_class) {
    case FailureClass::auth:
      return key.empty() ? "Check the key." : "Check the key: " + key + ".";
    case FailureClass::billing:
      return "Waiting does not help: check the account's credit and spend limit.";
    case FailureClass::not_found:
      return "Check the model's name (see model/list)" + where_set(address) + ".";
    case FailureClass::overloaded:
    case FailureClass::rate_limit:
      return advice_on_load(failure);
    case FailureClass::tls:
      return "Check the certificates: CURL_CA_BUNDLE or SSL_CERT_FILE names the file of those to "
             "trust.";
    case FailureClass::network:
      return "Check the address" + in_brackets(address) + " and the proxy (https_proxy, no_proxy).";
    case FailureClass::not_sse:
      return "Check that the address" + in_brackets(address) + " is that of the model's API.";
    case FailureClass::image_refused:
      return "Start again with smaller images (PNG or JPEG, at most 2000 pixels a side), or on a "
             "model that takes images.";
    case FailureClass::thinking_refused:
      return "Start a new session, or use another model.";
    case FailureClass::api_error:
    case FailureClass::stream_truncated:
    case FailureClass::malformed_event:
    case FailureClass::empty_response:
    case FailureClass::timeout_idle:
    case FailureClass::invalid_request:
    case FailureClass::context_overflow:
    case FailureClass::too_large:
    case FailureClass::output_limit_refused:
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
