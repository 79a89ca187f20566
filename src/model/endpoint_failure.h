// What an endpoint says when it refuses, turned into a ModelFailure, for every API that wraps its
// errors in one of the usual shapes. The class comes from the body's own error type and code first,
// and from the HTTP status where they say nothing, because overloads arrive inside a 200 too. Pure
// functions.
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

/// A response with this status whose error says `message`.
ModelFailure failure_from_text(int status, std::string message);

/// A response other than 200. `body` may be JSON, a page, or nothing. `now` is for Retry-After
/// in its date form.
ModelFailure failure_from_response(const platform::HttpHead& head, std::string_view body,
                                   std::chrono::system_clock::time_point now);

/// By which the vendor's support finds the request; empty if it was not told.
std::string request_id(const platform::HttpHead& head);

/// The first line of a body that is not what was expected, short enough for a message.
std::string excerpt(std::string_view body);

}  // namespace agentd::model
