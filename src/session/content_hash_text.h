// A ContentHash as it is stored: two numbers of 64 bits as 32 hexadecimal digits. Pure.
#pragma once

#include <string>
#include <string_view>

#include "platform/read_set.h"

namespace agentd::session {

std::string text_of_hash(const platform::ContentHash& hash);

/// A text that somebody spoiled becomes a hash that no content has.
platform::ContentHash hash_of_text(std::string_view text);

}  // namespace agentd::session
