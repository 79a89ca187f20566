// What an Anthropic endpoint (or a gateway that plays one) says when it refuses, turned into a
// ModelFailure. The class comes from the body's own error type first and from the HTTP status only
// where that says nothing, because overloads arrive inside a 200 too. Pure functions.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "message/message.h"
#include "model/failure.h"
#include "platform/http.h"

namespace agentd::model {

/// True for every shape of error object seen in the field: {type: "error", error: {...}},
/// {error: {...}}, {error: "text"}, {code, message}, {detail}.
bool is_error_object(const Json& object);

/// `status` 0: the error came inside a stream.
ModelFailure failure_from_object(const Json& object, int status);

/// A response other than 200. `body` may be JSON, a page, or nothing. `now` is for Retry-After
/// in its date form.
ModelFailure failure_from_response(const platform::HttpHead& head, std::string_view body,
                                   std::chrono::system_clock::time_point now);

/// The first line of a body that is not what was expected, short enough for a message.
std::string excerpt(std::string_view body);

}  // namespace agentd::model
