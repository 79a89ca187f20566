#include "model/endpoint_failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include "base/utf8.h"
#include "model/refusal_texts.h"
#include "wire/parse.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

// Longer waits than a year are nonsense, and would overflow.
constexpr std::int64_t kLongestWait = 366LL * 24 * 3600 * 1000;
constexpr std::size_t kExcerptBytes = 200;

// What the error object says, whichever of its shapes it has.
struct Said {
  std::string type;
  std::string code;
  std::string message;
  std::string passed_on;  // OpenRouter: what the endpoint behind it said, in its own shape
  std::string request_id;
  int status = 0;  // told in place of a code
};

// Also what frameworks say of each wrong field: {detail: [{loc, msg}]}.
std::string message_in(const Json& object) {
  for (const char* key : {"message", "detail"}) {
    const Json* found = wire::member(object, key);
    if (found == nullptr) continue;
    if (found->is_string()) return found->get<std::string>();
    std::string text;
    wire::append_json(text, *found);
    return excerpt(text);
  }
  return {};
}

int status_told(const Json& object) {
  const auto code = wire::integer_member(object, "code");
  return code && *code >= 400 && *code < 600 ? static_cast<int>(*code) : 0;
}

Said read_error(const Json& object) {
  Said said;
  said.request_id = wire::text_member(object, "request_id");
  const Json* error = wire::member(object, "error");
  if (error != nullptr && error->is_string()) {
    said.message = error->get<std::string>();
    said.type = wire::text_member(object, "code");
    return said;
  }
  const Json& inner = error != nullptr && error->is_object() ? *error : object;
  said.type = wire::text_member(inner, "type");
  said.code = wire::text_member(inner, "code");
  said.status = status_told(inner);
  if (said.type.empty()) said.type = said.code;
  said.message = message_in(inner);
  if (const Json* metadata = wire::member(inner, "metadata")) {
    said.passed_on = wire::text_member(*metadata, "raw");
  }
  return said;
}

std::optional<FailureClass> class_of_type(std::string_view type) {
  struct Row {
    std::string_view type;
    FailureClass failure_class;
  };
  static constexpr std::array<Row, 20> kRows = {{
      {"overloaded_error", FailureClass::overloaded},
      {"rate_limit_error", FailureClass::rate_limit},
      {"api_error", FailureClass::api_error},
      {"timeout_error", FailureClass::api_error},
      {"conflict_error", FailureClass::api_error},
      {"authentication_error", FailureClass::auth},
      {"permission_error", FailureClass::auth},
      {"billing_error", FailureClass::billing},
      {"not_found_error", FailureClass::not_found},
      {"invalid_request_error", FailureClass::invalid_request},
      {"request_too_large", FailureClass::too_large},
      // OpenAI's types and codes, and those of the servers that speak its API
      {"server_error", FailureClass::api_error},
      {"engine_overloaded_error", FailureClass::overloaded},
      {"rate_limit_exceeded", FailureClass::rate_limit},
      {"insufficient_quota", FailureClass::billing},
      {"invalid_api_key", FailureClass::auth},
      {"model_not_found", FailureClass::not_found},
      {"invalid_model", FailureClass::not_found},
      {"tool_use_failed", FailureClass::api_error},  // Groq: the model wrote a call that is none
      {"context_length_exceeded", FailureClass::context_overflow},
  }};
  for (const Row& row : kRows) {
    if (row.type == type) return row.failure_class;
  }
  return std::nullopt;
}

FailureClass class_of_status(int status) {
  if (status == 529) return FailureClass::overloaded;
  if (status >= 500 || status == 0 || status == 200) return FailureClass::api_error;
  if (status == 401 || status == 403) return FailureClass::auth;
  if (status == 402) return FailureClass::billing;
  if (status == 404) return FailureClass::not_found;
  if (status == 408 || status == 409) return FailureClass::api_error;
  if (status == 413) return FailureClass::too_large;
  if (status == 429) return FailureClass::rate_limit;
  return FailureClass::invalid_request;
}

// "It failed", "the request is bad": a status may say more exactly why.
bool is_vague(std::optional<FailureClass> found) {
  return found == FailureClass::invalid_request || found == FailureClass::api_error;
}

bool is_exact(FailureClass by_status) {
  return by_status == FailureClass::auth || by_status == FailureClass::billing ||
         by_status == FailureClass::not_found || by_status == FailureClass::rate_limit;
}

FailureClass class_of(const Said& said, int status) {
  const auto by_code = class_of_type(said.code);
  const auto by_type = class_of_type(said.type);
  if (by_code && !is_vague(by_code)) return *by_code;
  if (by_type && !is_vague(by_type)) return *by_type;
  const FailureClass by_status = class_of_status(status);
  // A code that blames the model's side means it, though the type is that of a bad request.
  if (by_code == FailureClass::api_error && !is_exact(by_status)) return *by_code;
  return by_type && !is_exact(by_status) ? *by_type : by_status;
}

// Whether its words may say more exactly what the status or the type leaves open.
bool is_open(FailureClass found) {
  return found == FailureClass::invalid_request || found == FailureClass::too_large ||
         found == FailureClass::api_error || found == FailureClass::not_found;
}

std::optional<FailureClass> class_of_words(const Said& said) {
  for (const std::string* words : {&said.message, &said.type, &said.code, &said.passed_on}) {
    if (const auto found = class_of_text(*words)) return found;
  }
  return std::nullopt;
}

// What is said of the account is believed where the request is called bad; what is said of the
// request's content also where a gateway wraps it in another status.
FailureClass refined(FailureClass found, const Said& said) {
  if (!is_open(found)) return found;
  const auto by_words = class_of_words(said);
  if (by_words && (blames_content(*by_words) || found == FailureClass::invalid_request)) {
    return *by_words;
  }
  const bool image_too_large = found == FailureClass::too_large && names_image(said.message);
  return image_too_large ? FailureClass::image_refused : found;
}

// The class, and what goes with it.
void classify(ModelFailure& failure, const Said& said, int status) {
  const bool inside_a_stream = status == 0 || status == 200;
  failure.failure_class = refined(class_of(said, inside_a_stream ? said.status : status), said);
  if (failure.failure_class != FailureClass::output_limit_refused) return;
  failure.allowed_output = allowed_output(said.message);
  if (!failure.allowed_output) failure.allowed_output = allowed_output(said.passed_on);
}

// For people: what was said, by whom, with what can be quoted to the vendor's support.
std::string describe(const Said& said, int status, const std::string& header_request_id) {
  std::string text = said.message.empty() ? std::string("no message") : said.message;
  if (!said.passed_on.empty()) text += ": " + excerpt(said.passed_on);
  if (!said.type.empty()) text = said.type + ": " + text;
  if (status != 0 && status != 200) text = "HTTP " + std::to_string(status) + ", " + text;
  const std::string& id = header_request_id.empty() ? said.request_id : header_request_id;
  if (!id.empty()) text += " (request id " + id + ")";
  return text;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
    return std::nullopt;
  }
  return value;
}

milliseconds bounded(double wait) {
  return milliseconds(static_cast<std::int64_t>(std::min(wait, static_cast<double>(kLongestWait))));
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form of HTTP dates still in use.
std::optional<system_clock::time_point> http_date(const std::string& text) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  int day = 0;
  std::array<char, 4> month{};
  int year = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (std::sscanf(text.c_str(), "%*3s, %d %3s %d %d:%d:%d", &day, month.data(), &year, &hour,
                  &minute, &second) != 6) {
    return std::nullopt;
  }
  const std::size_t at = kMonths.find(month.data());
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(at / 3 + 1)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

std::optional<milliseconds> retry_after(const platform::HttpHead& head,
                                        system_clock::time_point now) {
  if (const std::string* value = head.find("retry-after-ms")) {
    if (const auto wait = number(*value)) return bounded(*wait);
  }
  const std::string* value = head.find("retry-after");
  if (value == nullptr) return std::nullopt;
  if (const auto wait = number(*value)) return bounded(*wait * 1000);
  const auto date = http_date(*value);
  if (!date) return std::nullopt;
  const auto wait = std::chrono::ceil<milliseconds>(*date - now);
  return std::clamp(wait, milliseconds(0), milliseconds(kLongestWait));
}

std::string header(const platform::HttpHead& head, std::string_view name) {
  const std::string* value = head.find(name);
  return value == nullptr ? std::string() : *value;
}

}  // namespace

std::string request_id(const platform::HttpHead& head) {
  std::string id = header(head, "request-id");
  return id.empty() ? header(head, "x-request-id") : id;
}

bool is_error_object(const Json& object) {
  if (!object.is_object()) return false;
  const std::string type = wire::text_member(object, "type");
  if (type == "error") return true;
  if (wire::member(object, "error") != nullptr) return true;
  if (!type.empty()) return false;
  return wire::member(object, "detail") != nullptr ||
         (wire::member(object, "code") != nullptr && wire::member(object, "message") != nullptr);
}

ModelFailure failure_from_object(const Json& object, int status) {
  const Said said = read_error(object);
  ModelFailure failure;
  classify(failure, said, status);
  failure.message = describe(said, status, "");
  failure.http_status = status;
  return failure;
}

ModelFailure failure_from_text(int status, std::string message) {
  Said said;
  said.message = std::move(message);
  ModelFailure failure;
  classify(failure, said, status);
  failure.message = describe(said, status, "");
  failure.http_status = status;
  return failure;
}

ModelFailure failure_from_response(const platform::HttpHead& head, std::string_view body,
                                   system_clock::time_point now) {
  const Result<Json> json = wire::parse(utf8::repaired(body));
  // Google puts its one error into an array.
  const Json* object = !json                                ? nullptr
                       : json->is_array() && !json->empty() ? &json->front()
                                                            : &*json;
  Said said;
  if (object != nullptr && object->is_object()) {
    said = read_error(*object);
  } else {
    said.message = excerpt(body);
  }
  ModelFailure failure;
  classify(failure, said, head.status);
  const std::string location = excerpt(header(head, "location"));
  if (head.status >= 300 && head.status < 400 && !location.empty()) {
    said.message = "the endpoint redirects to " + location;
  }
  failure.message = describe(said, head.status, request_id(head));
  failure.http_status = head.status;
  failure.retry_after = retry_after(head, now);
  // Money is the reason: waiting does not help. A 429 that only means "too fast" says when to come
  // back, one for a spend limit does not.
  if (failure.failure_class == FailureClass::rate_limit && !failure.retry_after &&
      class_of_text(said.message) == FailureClass::billing) {
    failure.failure_class = FailureClass::billing;
  }
  const std::string should_retry = header(head, "x-should-retry");
  if (should_retry == "true") failure.should_retry = true;
  if (should_retry == "false") failure.should_retry = false;
  return failure;
}

std::string excerpt(std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  body.remove_prefix(begin);
  body = body.substr(0, body.find_first_of("\r\n"));
  return utf8::repaired(utf8::head(body, kExcerptBytes));
}

}  // namespace agentd::model
