// Refusal texts: what endpoints say in words about a request they refuse. There are no common codes
// for "it does not fit the window", "this image will not do", "that signature is not mine" or "I do
// not write that much", only texts. This is the one table of them, for every vendor; each row has
// its example in the test. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/failure.h"

namespace agentd::model {

/// What `text` (an error's message, type or code) says is wrong with the request or the account:
/// context_overflow, image_refused, thinking_refused, output_limit_refused; billing, auth,
/// not_found. Nothing where it is about something else.
std::optional<FailureClass> class_of_text(std::string_view text);

/// True for those of class_of_text that blame the request's content, whatever the status says.
bool blames_content(FailureClass failure_class);

/// True if `text` names an image at all.
bool names_image(std::string_view text);

/// The most output tokens that an endpoint allows, out of its text about a limit that is too high:
/// the smallest number in it that can be one (1 000 or more, standing alone).
std::optional<std::int64_t> allowed_output(std::string_view text);

}  // namespace agentd::model
