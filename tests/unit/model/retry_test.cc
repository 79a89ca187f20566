#include "model/retry.h"

#include <doctest/doctest.h>

using namespace agentd::model;
using std::chrono::milliseconds;

namespace {
ModelFailure failure(FailureClass failure_class) {
  ModelFailure made;
  made.failure_class = failure_class;
  return made;
}
}  // namespace

TEST_CASE("delays double up to the limit, and the budget ends") {
  const RetryPolicy policy;
  const ModelFailure overloaded = failure(FailureClass::overloaded);
  const int expected[] = {500, 1000, 2000, 4000, 8000, 16'000, 32'000, 32'000, 32'000};
  for (int failed = 1; failed <= 9; ++failed) {
    CHECK(retry_delay(policy, overloaded, failed, 0) == milliseconds(expected[failed - 1]));
  }
  CHECK_FALSE(retry_delay(policy, overloaded, 10, 0));
  CHECK_FALSE(retry_delay(policy, overloaded, 11, 0));
}

TEST_CASE("jitter takes up to a quarter off") {
  const ModelFailure network = failure(FailureClass::network);
  CHECK(retry_delay({}, network, 2, 0.999) == milliseconds(751));
  CHECK(retry_delay({}, network, 2, 0.5) == milliseconds(875));
}

TEST_CASE("retry-after is a lower bound, and too long a one ends the call") {
  ModelFailure limited = failure(FailureClass::rate_limit);
  limited.retry_after = milliseconds(2'000);
  CHECK(retry_delay({}, limited, 1, 0) == milliseconds(2'000));
  CHECK(retry_delay({}, limited, 4, 0) == milliseconds(4'000));
  limited.retry_after = milliseconds(60'000);
  CHECK(retry_delay({}, limited, 1, 0) == milliseconds(60'000));
  limited.retry_after = milliseconds(60'001);
  CHECK_FALSE(retry_delay({}, limited, 1, 0));
}

TEST_CASE("classes that are retried and classes that are not; the server's word wins") {
  using enum FailureClass;
  for (const FailureClass retried : {overloaded, rate_limit, api_error, network, stream_truncated,
                                     malformed_event, empty_response, not_sse, timeout_idle}) {
    CAPTURE(to_string(retried));
    CHECK(retry_delay({}, failure(retried), 1, 0));
    ModelFailure forbidden = failure(retried);
    forbidden.should_retry = false;
    CHECK_FALSE(retry_delay({}, forbidden, 1, 0));
  }
  for (const FailureClass final_one :
       {auth, billing, not_found, invalid_request, context_overflow, too_large, tls}) {
    CAPTURE(to_string(final_one));
    CHECK_FALSE(retry_delay({}, failure(final_one), 1, 0));
    ModelFailure asked = failure(final_one);
    asked.should_retry = true;
    CHECK(retry_delay({}, asked, 1, 0));
  }
}

TEST_CASE("a policy of its own") {
  RetryPolicy policy;
  policy.max_attempts = 2;
  policy.first_delay = milliseconds(0);
  CHECK(retry_delay(policy, failure(FailureClass::network), 1, 0.5) == milliseconds(0));
  CHECK_FALSE(retry_delay(policy, failure(FailureClass::network), 2, 0.5));
}
