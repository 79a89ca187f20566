// Foreign text made safe for a terminal: a model's or a file's bytes must not move the cursor over
// the question that a person is about to answer. Pure.
#pragma once

#include <string>
#include <string_view>

namespace agentd::server {

/// `text` with control characters (but line end and tab) and the marks that turn the direction of
/// writing shown as \x1b or \u202e. `text` is valid UTF-8.
std::string printable(std::string_view text);

}  // namespace agentd::server
