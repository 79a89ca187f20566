// How far two words are apart: to tell what was meant by one that is mistyped. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace agentd::config {

/// How many bytes must be put in, left out or changed to make one of the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

}  // namespace agentd::config
