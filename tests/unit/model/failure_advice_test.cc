// What people are told to do about a model call that failed.
#include "model/failure_advice.h"

#include <doctest/doctest.h>

using namespace agentd::model;
using std::chrono::milliseconds;

namespace {

std::string told(FailureClass failure_class, int status = 0,
                 std::optional<milliseconds> retry_after = {}, const RetryPolicy& policy = {}) {
  ModelFailure failure;
  failure.failure_class = failure_class;
  failure.message = "HTTP 1, said (request id req_1)";
  failure.http_status = status;
  failure.retry_after = retry_after;
  failure.settings = {"A_KEY", "A_BASE_URL"};
  return with_advice(failure, policy);
}

bool holds(const std::string& text, const char* part) {
  CAPTURE(text);
  return text.starts_with("HTTP 1, said (request id req_1)") &&
         text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what was said stays, what to do follows") {
  using enum FailureClass;
  CHECK(holds(told(auth, 401), ". Check the key: A_KEY."));
  CHECK(holds(told(not_found, 404), "model/list) and, where it is set, A_BASE_URL."));
  CHECK(holds(told(invalid_request, 302), "Set A_BASE_URL to"));
  CHECK(holds(told(billing, 402), "credit"));
  CHECK(holds(told(tls), "CURL_CA_BUNDLE"));
  CHECK(holds(told(network), "https_proxy"));
  CHECK(holds(told(not_sse, 200), "the address (A_BASE_URL)"));
  CHECK(told(invalid_request, 400) == "HTTP 1, said (request id req_1)");
}

TEST_CASE("a wait too long to sit out is told") {
  using enum FailureClass;
  CHECK(holds(told(rate_limit, 429, milliseconds(90'000)), "asks to wait 90 s"));
  CHECK(holds(told(overloaded, 529, milliseconds(3'599'500)), "asks to wait 60 min"));
  CHECK(holds(told(rate_limit, 429, milliseconds(7'200'001)), "asks to wait 3 h"));
  CHECK(holds(told(rate_limit, 429, milliseconds(2'000)), "Try again in a while."));
  RetryPolicy patient;
  patient.max_retry_after = milliseconds(100'000);
  CHECK(holds(told(rate_limit, 429, milliseconds(90'000), patient), "Try again in a while."));
  RetryPolicy hasty;
  hasty.max_retry_after = milliseconds(1'000);
  CHECK(holds(told(rate_limit, 429, milliseconds(2'000), hasty), "asks to wait 2 s"));
}

TEST_CASE("a message that is a sentence gets no second full stop") {
  ModelFailure failure;
  failure.failure_class = FailureClass::network;
  failure.message = "It broke.";
  CHECK(with_advice(failure, {}).starts_with("It broke. Check the address"));
}
