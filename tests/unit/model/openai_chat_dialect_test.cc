// What is known of a host, and what refusals teach: tables.
#include "model/openai_chat_dialect.h"

#include <doctest/doctest.h>

using namespace agentd::model;

namespace {

ModelFailure refusal(const std::string& message, int status = 400) {
  ModelFailure failure;
  failure.failure_class = FailureClass::invalid_request;
  failure.http_status = status;
  failure.message = message;
  return failure;
}

}  // namespace

TEST_CASE("what is known of a host") {
  CHECK(dialect_of_host("api.openai.com").limit == LimitParameter::max_completion_tokens);
  CHECK(dialect_of_host("me.openai.azure.com:443").limit == LimitParameter::max_completion_tokens);
  for (const char* other : {"localhost:11434", "openrouter.ai", "api.openai.com.example.org", ""}) {
    CAPTURE(other);
    CHECK(dialect_of_host(other) == ChatDialect());
  }
}

TEST_CASE("what refusals teach") {
  const ChatDialect plain;
  const ChatDialect newer{.limit = LimitParameter::max_completion_tokens};
  const ChatDialect reasoning{.reasoning = ReasoningMember::reasoning_content};
  const auto wants_newer = dialect_after(
      plain, refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."));
  REQUIRE(wants_newer);
  CHECK(wants_newer->limit == LimitParameter::max_completion_tokens);
  const auto wants_older =
      dialect_after(newer, refusal("Extra inputs: body.max_completion_tokens", 422));
  REQUIRE(wants_older);
  CHECK(wants_older->limit == LimitParameter::max_tokens);
  const auto without_options = dialect_after(plain, refusal("Unrecognized: stream_options"));
  REQUIRE(without_options);
  CHECK_FALSE(without_options->stream_options);
  const auto without_reasoning =
      dialect_after(reasoning, refusal("messages.2: reasoning_content is not supported"));
  REQUIRE(without_reasoning);
  CHECK(without_reasoning->reasoning == ReasoningMember::none);
}

TEST_CASE("other refusals teach nothing") {
  const ChatDialect newer{.limit = LimitParameter::max_completion_tokens};
  CHECK_FALSE(dialect_after(newer, refusal("max_completion_tokens is too large: at most 16384")));
  CHECK_FALSE(dialect_after(newer, refusal("Unsupported value: temperature")));
  CHECK_FALSE(dialect_after({}, refusal("Unsupported: max_completion_tokens", 500)));
  ModelFailure overflow = refusal("not supported: max_completion_tokens");
  overflow.failure_class = FailureClass::context_overflow;
  CHECK_FALSE(dialect_after({}, overflow));
}
