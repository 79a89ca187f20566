// Failures by what endpoints say, in our own short examples; the recorded answers where they lie
// beside the source.
#include "model/endpoint_failure.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/recordings.h"
#include "support/stream_case.h"

using namespace agentd;
using namespace agentd::model;
using std::chrono::milliseconds;

namespace {

const auto kNow = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + std::chrono::hours(8) +
                  std::chrono::minutes(49);

ModelFailure refused(int status, const std::string& body,
                     std::vector<std::pair<std::string, std::string>> headers = {}) {
  platform::HttpHead head;
  head.status = status;
  head.headers = std::move(headers);
  return failure_from_response(head, body, kNow);
}

std::string error_body(const std::string& type, const std::string& message) {
  return Json{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}.dump();
}

}  // namespace

TEST_CASE("by the body's type, by the status where the body says nothing") {
  using enum FailureClass;
  CHECK(refused(400, error_body("overloaded_error", "x")).failure_class == overloaded);
  CHECK(refused(529, "").failure_class == overloaded);
  CHECK(refused(503, "<html>").failure_class == api_error);
  CHECK(refused(504, error_body("timeout_error", "x")).failure_class == api_error);
  CHECK(refused(408, "").failure_class == api_error);
  CHECK(refused(409, "").failure_class == api_error);
  CHECK(refused(401, "{\"error\":\"no\"}").failure_class == auth);
  CHECK(refused(403, "").failure_class == auth);
  CHECK(refused(402, "").failure_class == billing);
  CHECK(refused(404, "").failure_class == not_found);
  CHECK(refused(413, "too large").failure_class == too_large);
  CHECK(refused(422, "").failure_class == invalid_request);
  CHECK(
      refused(400, error_body("invalid_request_error", "temperature: range: 0..1")).failure_class ==
      invalid_request);
  CHECK(refused(400, error_body("invalid_request_error", "prompt is too long: 9 tokens > 8"))
            .failure_class == context_overflow);
  CHECK(refused(400, error_body("invalid_request_error", "Your credit balance is too low"))
            .failure_class == billing);
}

TEST_CASE("OpenAI's types and codes, where the status may be more exact than either") {
  using enum FailureClass;
  const auto told = [](int status, const char* type, const Json& code) {
    return refused(status,
                   Json{{"error", {{"message", "x"}, {"type", type}, {"code", code}}}}.dump())
        .failure_class;
  };
  CHECK(told(401, "invalid_request_error", "invalid_api_key") == auth);
  CHECK(told(401, "authentication_error", "invalid_request_error") == auth);
  CHECK(told(401, "api_error", nullptr) == auth);
  CHECK(told(404, "invalid_request_error", "model_not_found") == not_found);
  CHECK(told(400, "invalid_request_error", "model_not_found") == not_found);
  CHECK(told(429, "insufficient_quota", "insufficient_quota") == billing);
  CHECK(told(429, "requests", "rate_limit_exceeded") == rate_limit);
  CHECK(told(500, "server_error", nullptr) == api_error);
  CHECK(told(400, "invalid_request_error", "context_length_exceeded") == context_overflow);
  CHECK(told(400, "invalid_request_error", "unsupported_value") == invalid_request);
  CHECK(refused(400, R"([{"error":{"code":400,"message":"x"}}])").message == "HTTP 400, x");
  CHECK(
      refused(422, R"({"detail":[{"loc":["body","seed"],"msg":"Extra"}]})").message.find("seed") !=
      std::string::npos);
}

TEST_CASE("an error inside a stream may tell a status in place of a code") {
  const auto told = [](const char* json) {
    return failure_from_object(Json::parse(json), 0).failure_class;
  };
  CHECK(told(R"({"error":{"code":429,"message":"x"}})") == FailureClass::rate_limit);
  CHECK(told(R"({"error":{"code":401,"message":"x"}})") == FailureClass::auth);
  CHECK(told(R"({"error":{"code":"1302","message":"x"}})") == FailureClass::api_error);
}

TEST_CASE("a spend limit is no rate limit") {
  CHECK(refused(429, error_body("rate_limit_error", "slow down")).failure_class ==
        FailureClass::rate_limit);
  CHECK(
      refused(429, error_body("rate_limit_error", "You reached your spend limit")).failure_class ==
      FailureClass::billing);
  CHECK(refused(429, error_body("rate_limit_error", "You reached your usage limit"),
                {{"retry-after", "5"}})
            .failure_class == FailureClass::rate_limit);
}

TEST_CASE("the waits that servers tell") {
  const auto wait = [](std::vector<std::pair<std::string, std::string>> headers) {
    return refused(429, "", std::move(headers)).retry_after;
  };
  CHECK(wait({{"retry-after", "2"}}) == milliseconds(2'000));
  CHECK(wait({{"retry-after", "1.5"}}) == milliseconds(1'500));
  CHECK(wait({{"retry-after-ms", "250"}, {"retry-after", "2"}}) == milliseconds(250));
  CHECK(wait({{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}}) == milliseconds(37'000));
  CHECK(wait({{"retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"}}) == milliseconds(0));
  CHECK(wait({{"retry-after", "99999999999999999999"}})->count() > 1'000'000'000);
  for (const char* nonsense : {"", "soon", "-5", "nan", "Sun, 99 Xyz 1994 08:49:37 GMT"}) {
    CAPTURE(nonsense);
    CHECK_FALSE(wait({{"retry-after", nonsense}}));
  }
}

TEST_CASE("x-should-retry is passed on") {
  CHECK(refused(500, "", {{"x-should-retry", "false"}}).should_retry == false);
  CHECK(refused(400, "", {{"x-should-retry", "true"}}).should_retry == true);
  CHECK_FALSE(refused(400, "", {{"x-should-retry", "maybe"}}).should_retry);
}

TEST_CASE("the message holds what was said and the request id") {
  CHECK(
      refused(400, error_body("invalid_request_error", "bad"), {{"request-id", "req_1"}}).message ==
      "HTTP 400, invalid_request_error: bad (request id req_1)");
  CHECK(refused(400, R"({"error":{"message":"bad"},"request_id":"req_2"})").message ==
        "HTTP 400, bad (request id req_2)");
  CHECK(refused(400, R"({"error":"bad"})", {{"x-request-id", "req_3"}}).message ==
        "HTTP 400, bad (request id req_3)");
  CHECK(refused(502, "  <html>\n<body>").message == "HTTP 502, <html>");
  CHECK(refused(500, "").message == "HTTP 500, no message");
  CHECK(refused(302, "<html>", {{"location", "https://b/v1"}}).message ==
        "HTTP 302, the endpoint redirects to https://b/v1");
  CHECK(refused(500, std::string(100'000, '[')).message.size() < 300);
}

TEST_CASE("what is an error object") {
  for (const char* error : {R"({"type":"error"})", R"({"error":{"code":"1"}})", R"({"error":"x"})",
                            R"({"detail":"x"})", R"({"code":400,"message":"x"})"}) {
    CAPTURE(error);
    CHECK(is_error_object(Json::parse(error)));
  }
  for (const char* other : {R"({"type":"ping"})", R"({"error":null})", R"({})", R"([1])",
                            R"({"type":"x","detail":"y"})"}) {
    CAPTURE(other);
    CHECK_FALSE(is_error_object(Json::parse(other)));
  }
}

TEST_CASE("what words say more exactly than status and type") {
  using enum FailureClass;
  const auto told = [](int status, const char* message) {
    return refused(status, error_body("invalid_request_error", message)).failure_class;
  };
  CHECK(told(400, "messages.0.content.1: image exceeds 5 MB maximum") == image_refused);
  CHECK(refused(413, "The image is over 20 MB").failure_class == image_refused);
  CHECK(refused(413, "Request Entity Too Large").failure_class == too_large);
  CHECK(refused(404, R"({"error":{"message":"No endpoints found that support image input"}})")
            .failure_class == image_refused);
  CHECK(refused(500, R"({"error":{"message":"image input is not supported"}})").failure_class ==
        image_refused);
  CHECK(refused(500, R"({"error":{"message":"billing backend is down"}})").failure_class ==
        api_error);
  CHECK(refused(429, error_body("rate_limit_error", "image too large")).failure_class ==
        rate_limit);
  CHECK(told(400, "Invalid `signature` in `thinking` block") == thinking_refused);
  const auto limit = refused(
      400, error_body("invalid_request_error",
                      "max_tokens: 32000 > 8192, which is the maximum allowed number of output "
                      "tokens for x"));
  CHECK(limit.failure_class == output_limit_refused);
  CHECK(limit.allowed_output == 8192);
}

TEST_CASE("what a router passes on counts, and is shown") {
  const auto failure =
      refused(400, R"({"error":{"message":"Provider returned error","code":400,"metadata":{"raw":)"
                   R"("{\"error\":{\"message\":\"image exceeds 5 MB maximum\"}}"}}})");
  CHECK(failure.failure_class == FailureClass::image_refused);
  CHECK(failure.message.find("5 MB") != std::string::npos);
}

namespace {

// By a part of its name, the first that fits; else by its status.
FailureClass expected_of(const std::string& name, int status) {
  using enum FailureClass;
  struct Row {
    const char* part;
    FailureClass expected;
  };
  static constexpr Row kRows[] = {
      {"-handles-con", context_overflow},
      {"context-overflow", context_overflow},
      {"image-base64-part", image_refused},
      {"malformed-data-uri", image_refused},
      {"image-without-mmproj", image_refused},
      {"thinking-with-modified-history", thinking_refused},
      {"tool-use-failed", api_error},
      {"an-unknown-model", not_found},
      {"nonexistent-model", not_found},
      {"model-name-suggestion", not_found},
      {"extractor-failure", not_found},
      {"provider-error-response-surfa", not_found},
      {"mistral-chat-400-response-identity", not_found},
      {"openrouter-chat-400-response-identity", not_found},
      {"xai-responses-400-response-identity", not_found},
      {"xai-responses-400-error-handling", auth},
      {"openai-responses-429", billing},
  };
  if (status == 401 || status == 403) return auth;
  if (status == 404) return not_found;
  for (const Row& row : kRows) {
    const bool rate_limited = status == 429 && row.expected == context_overflow;
    if (!rate_limited && name.find(row.part) != std::string::npos) return row.expected;
  }
  if (status == 429) return rate_limit;
  return status >= 500 ? api_error : invalid_request;
}

}  // namespace

TEST_CASE("recorded error answers" * doctest::skip(!test::recordings_present("errors"))) {
  namespace fs = std::filesystem;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(test::recordings() / "errors")) {
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    const Json recorded = Json::parse(test::read_file(entry.path().string()));
    std::vector<std::pair<std::string, std::string>> headers;
    for (const auto& [key, value] : recorded.at("headers").items()) {
      if (value.is_string()) headers.emplace_back(key, value.get<std::string>());
    }
    const Json& body = recorded.at("body");
    const int status = recorded.at("status").get<int>();
    const ModelFailure failure = refused(
        status, body.is_string() ? body.get<std::string>() : body.dump(), std::move(headers));
    CAPTURE(failure.message);
    CAPTURE(to_string(failure.failure_class));
    CHECK(failure.failure_class == expected_of(name, status));
    ++count;
  }
  CHECK(count >= 80);
}
