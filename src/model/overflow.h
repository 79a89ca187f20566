// Context overflow: there is no common error code for "the request does not fit the model's
// window", only texts. This is the one table of them; each entry has its example in the test.
#pragma once

#include <string_view>

namespace agentd::model {

/// True if an endpoint's error text (or error code) says that the request is too long.
bool says_context_overflow(std::string_view text);

}  // namespace agentd::model
