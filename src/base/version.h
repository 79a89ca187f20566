// The program's name and version, as told to clients and servers.
#pragma once

#include <string_view>

namespace agentd {

inline constexpr std::string_view kProgramName = "agentd";
std::string_view version();  // "0.1.0", from CMakeLists.txt

}  // namespace agentd
