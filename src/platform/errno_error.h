// From errno to Error: what the operating system refused, to what, in words. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace agentd::platform {

/// "cannot <action> <subject>: <reason>", with `subject` as `where`.
Error errno_error(std::string_view action, const std::string& subject, int error_number);

}  // namespace agentd::platform
